#!/usr/bin/env node
// @ts-check
/**
 * MCP over stdio, for clients that speak nothing else: passes messages between them and a gateway's `/mcp/`.
 *
 * Plain JavaScript whose JSDoc is checked as types: it runs as an installed package on any Node from 20 on, and no Node
 * strips types from the files of packages.
 */
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { EXIT_OK, Failure } from './failure.mjs';
import { GatewayLink } from './gateway-link.mjs';
import { readOptions, USAGE } from './options.mjs';

function main() {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === null) process.stdout.write(USAGE);
  else connect(new StdioServerTransport(), new GatewayLink(options));
}

/** @param {StdioServerTransport} client @param {GatewayLink} gateway */
function connect(client, gateway) {
  let isOver = false;
  /** @param {number} exitCode */
  const end = async (exitCode) => {
    if (isOver) return;
    isOver = true;
    await gateway.close();
    // What was written before goes out first.
    process.stdout.write('', () => process.exit(exitCode));
  };
  gateway.onmessage = (message) => client.send(message).catch(() => end(EXIT_OK));
  gateway.onfailure = (failure, isFinal) => {
    say(failure.message);
    if (isFinal) void end(failure.exitCode);
  };
  client.onmessage = (message) => gateway.send(message);
  client.onerror = (error) => say(`The client sent what is no message: ${error.message}`);
  client.onclose = () => end(EXIT_OK);
  process.on('SIGTERM', () => end(EXIT_OK));
  process.on('SIGINT', () => end(EXIT_OK));
  void client.start();
}

/** For people; standard output belongs to the protocol. @param {string} text */
function say(text) {
  process.stderr.write(`svc-mcp: ${text}\n`);
}

try {
  main();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  say(error.message);
  process.exitCode = error.exitCode;
}
