/** A file of its own, which the bundle leaves out until it is needed: the library is an eighth of all code. */
export { Agent, fetch } from 'undici';
