// Requests as the player of this browser, who is made, as a guest, when there is none.

import { persist } from "./api.js";
import { calm, say, warn } from "./live.js";

/** @import { Answer, Request } from "./api.js" */

let known = document.body.dataset.known === "yes";

/** @type {(request: Request) => Promise<Answer>} Send a request and say how sending goes on. */
export const send = (request) =>
  persist(request, { slow: () => say("Sending."), lost: () => warn("Connection lost. Trying again."), back: calm });

/** @type {(request: Request) => Promise<Answer>} Send a request as a player; one who was deleted meanwhile is followed. */
export async function sendAsPlayer(request) {
  if (!known) await send({ method: "POST", path: "/api/v1/players" });
  const answer = await send(request);
  const unknown = known && answer.status === 401;
  known = !unknown;
  return unknown ? sendAsPlayer(request) : answer;
}

/** @type {(answer: Answer) => string} Say in words why something was not done. */
export const why = ({ body }) => `${body.title}: ${body.detail}.`;
