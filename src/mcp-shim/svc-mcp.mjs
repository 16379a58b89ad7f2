#!/usr/bin/env node
// @ts-check
/**
 * Connects an MCP client that speaks only stdio to a gateway's `/mcp/`.
 *
 * Plain JavaScript with JSDoc types: this runs as an installed package on Node 20 and later, and Node does not strip
 * types from files in node_modules.
 */
import { EXIT_OK, Failure } from './failure.mjs';
import { GatewayLink } from './gateway-link.mjs';
import { readOptions, USAGE } from './options.mjs';
import { StdioClient } from './stdio.mjs';

function main() {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === null) process.stdout.write(USAGE);
  else connect(new StdioClient(process.stdin, process.stdout), new GatewayLink(options));
}

/** @param {StdioClient} client @param {GatewayLink} gateway */
function connect(client, gateway) {
  let isEnding = false;
  /** @param {number} exitCode */
  const end = async (exitCode) => {
    if (isEnding) return;
    isEnding = true;
    await gateway.close();
    // Flush standard output before exiting.
    process.stdout.write('', () => process.exit(exitCode));
  };
  gateway.onmessage = (message) => client.send(message);
  gateway.onfailure = (failure, isFinal) => {
    report(failure.message);
    if (isFinal) void end(failure.exitCode);
  };
  client.onmessage = (message) => gateway.send(message);
  client.onerror = (error) => report(`Invalid JSON-RPC message from the client: ${error.message}`);
  client.onclose = () => void end(EXIT_OK);
  process.on('SIGTERM', () => void end(EXIT_OK));
  process.on('SIGINT', () => void end(EXIT_OK));
  client.start();
}

/** Writes to standard error, because standard output carries the protocol. @param {string} text */
function report(text) {
  process.stderr.write(`svc-mcp: ${text}\n`);
}

try {
  main();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  report(error.message);
  process.exitCode = error.exitCode;
}
