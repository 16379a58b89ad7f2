#!/usr/bin/env node
/**
 * Debian's Firefox as Playwright expects it: the ESR does not know all commands of WebDriver BiDi that Playwright sends to
 * every page. Those are answered here; everything else goes through.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { WebSocket, WebSocketServer } from 'ws';

const UNKNOWN = new Set(['emulation.setMediaFeaturesOverride']);

const browser = spawn('/usr/bin/firefox-esr', process.argv.slice(2), { stdio: ['ignore', 'ignore', 'pipe'] });
browser.on('exit', (code) => process.exit(code ?? 1));
process.on('SIGTERM', () => browser.kill());

createInterface({ input: browser.stderr }).on('line', (line) => {
  const url = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
  if (url === undefined) return process.stderr.write(`${line}\n`);
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 }, () =>
    process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${server.address().port}\n`),
  );
  server.on('connection', (client, { url: path }) => relay(client, new WebSocket(url + path)));
});

function relay(client, firefox) {
  const waiting = [];
  firefox.on('open', () => {
    for (const text of waiting.splice(0)) firefox.send(text);
  });
  firefox.on('message', (data) => client.send(data.toString()));
  firefox.on('close', () => client.close());
  client.on('close', () => firefox.close());
  client.on('message', (data) => {
    const { id, method } = JSON.parse(data);
    if (UNKNOWN.has(method)) client.send(JSON.stringify({ type: 'success', id, result: {} }));
    else if (firefox.readyState === WebSocket.OPEN) firefox.send(data.toString());
    else waiting.push(data.toString());
  });
}
