import { Agent, fetch } from 'undici';

/** In a file of its own, which the bundle leaves out until it is needed: the library is an eighth of all code. */
export const undici = { Agent, fetch };
