// @ts-check
import { parseArgs } from 'node:util';
import { EXIT_CONFIG, EXIT_USAGE, Failure } from './failure.mjs';

export const USAGE = `Usage: svc-mcp [--stateful]

Passes MCP messages between standard input and output and a gateway's /mcp/.

  --stateful     keeps a session, through which the gateway also pushes what happens
  SVC_URL        address of the gateway, as in https://gateway.example.com
  SVC_API_KEY    agent key (svc_…)

Ends with 0 when standard input does, 64 when the command line is wrong, 78 when a variable is, 69 when the gateway
cannot be reached, 76 when there is no gateway at SVC_URL, 77 when it refuses the key.
`;

/**
 * @typedef {object} Options
 * @property {URL} url Of the MCP endpoint.
 * @property {string} apiKey
 */

/**
 * What the command line and the environment say; null when only help is wanted. Throws a Failure.
 *
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Options | null}
 */
export function readOptions(args, env) {
  const flags = readFlags(args);
  if (flags.help) return null;
  const { SVC_URL = '', SVC_API_KEY = '' } = env;
  const url = endpointOf(SVC_URL);
  const mistakes = [];
  if (url === null) mistakes.push('SVC_URL must be the http(s) address of a gateway.');
  if (!/^[\x21-\x7e]+$/.test(SVC_API_KEY)) mistakes.push('SVC_API_KEY must be an agent key (svc_…).');
  if (url === null || mistakes.length > 0) throw new Failure(EXIT_CONFIG, mistakes.join(' '));
  if (flags.stateful) url.searchParams.set('stateful', '');
  return { url, apiKey: SVC_API_KEY };
}

/** @param {readonly string[]} args */
function readFlags(args) {
  try {
    const options = /** @type {const} */ ({ stateful: { type: 'boolean' }, help: { type: 'boolean' } });
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Failure(EXIT_USAGE, `${/** @type {Error} */ (error).message}\n${USAGE}`);
  }
}

/** Where a gateway at this address serves MCP, which is also taken as the address. @param {string} address */
function endpointOf(address) {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/(mcp\/?)?$/, '')}/mcp/`;
  url.search = '';
  url.hash = '';
  return url;
}
