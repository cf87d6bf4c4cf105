/** What the server writes in front of worker.js (service/shutbox/web/offline.py). */
interface Shell {
  /** Changes whenever something that is kept changes. */
  version: string;
  /** Where the static files of this version are, with a slash at the end. */
  static: string;
  /** Addresses of pages that hold nothing of a player, but for the page without a connection. */
  pages: string[];
  /** Names of static files. */
  files: string[];
}

declare const SHELL: Shell;
