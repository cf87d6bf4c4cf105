// Installs the service worker. Loaded where the browser has a player: nothing is installed for one who only looks. A
// browser without workers, or that keeps nothing for this site, misses the pages without a connection and nothing else.

async function install() {
  const workers = navigator.serviceWorker;
  if (document.body.dataset.offline !== "off") await workers?.register("/sw.js");
  else await (await workers?.getRegistration())?.update(); // to the script that takes the worker away
}

install().catch(() => {});

export {}; // a module like the others, though nothing of it is used
