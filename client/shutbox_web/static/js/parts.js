// The parts of a page: found by their id, and made.

/** @type {(id: string) => HTMLElement} Return the part with that id; an Error if the page has none. */
export function part(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no part ${id}`);
  return found;
}

/**
 * Return a new element with these attributes and children.
 * @param {string} name
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children
 */
export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** @type {(host: HTMLElement, text: string) => void} Write a text only where it differs. */
export function write(host, text) {
  if (host.textContent !== text) host.textContent = text;
}

/** @type {(query: string) => boolean} Tell whether a media query holds. */
export const holds = (query) => window.matchMedia(query).matches;

/** @type {(loading: Promise<unknown>) => void} Let a module that nothing depends on fail, as when the page is left. */
export const optional = (loading) => void loading.catch(() => {});
