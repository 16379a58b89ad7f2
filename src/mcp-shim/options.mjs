// @ts-check
import { parseArgs } from 'node:util';
import { EXIT_CONFIG, EXIT_USAGE, Failure } from './failure.mjs';

export const USAGE = `Usage: svc-mcp [--stateful]

Connects an MCP client on standard input and output to the MCP endpoint (/mcp/) of a Voice and Chat Gateway.

Options:
  --stateful     open a session, in which the gateway also pushes events
  --help         print this text

Environment:
  SVC_URL        address of the gateway, for example https://gateway.example.com
  SVC_API_KEY    agent key (svc_…)

Exit codes:
  0   standard input was closed
  64  invalid command line
  69  gateway unreachable at startup
  76  no gateway at SVC_URL
  77  key refused or revoked
  78  environment variable missing or invalid
`;

/**
 * @typedef {object} Options
 * @property {URL} url Address of the MCP endpoint.
 * @property {string} apiKey
 */

/**
 * Reads the command line and the environment. Returns null for `--help`. Throws a Failure when either is invalid.
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

/** Returns the MCP endpoint of a gateway address, which may already be the endpoint. @param {string} address */
function endpointOf(address) {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/(mcp\/?)?$/, '')}/mcp/`;
  url.search = '';
  url.hash = '';
  return url;
}
