// The official SDK's own minimal server, as its documentation writes it: node:http, one tool that answers with what is in a
// file. `/mcp` is stateless, `/mcp?stateful` has sessions. `node sdk-server.mjs PORT ANSWER.json v1|v2`
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport as HttpV1 } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  createMcpHandler,
  WebStandardStreamableHTTPServerTransport as HttpV2,
  McpServer as ServerV2,
} from '@modelcontextprotocol/server';

const [, , port, answerPath, version] = process.argv;
const structuredContent = JSON.parse(readFileSync(answerPath, 'utf8'));
const result = { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };

function minimal(Server) {
  const server = new Server({ name: 'minimal', version: '1.0.0' });
  server.registerTool('svc_account', { description: 'The account' }, () => result);
  return server;
}

/** Keeps one transport for each session; `make` gives a new one. */
async function transportOf(sessions, id, make) {
  return sessions.get(id) ?? (await make());
}

function v1() {
  const sessions = new Map();
  const open = async () => {
    const transport = new HttpV1({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await minimal(ServerV1).connect(transport);
    return transport;
  };
  return async (request, response, body, isStateful) => {
    if (isStateful) {
      const transport = await transportOf(sessions, request.headers['mcp-session-id'], open);
      await transport.handleRequest(request, response, body);
      return;
    }
    const server = minimal(ServerV1);
    const transport = new HttpV1({ sessionIdGenerator: undefined });
    response.on('close', () => {
      void transport.close();
      void server.close();
    });
    await server.connect(transport);
    await transport.handleRequest(request, response, body);
  };
}

function v2() {
  const handler = createMcpHandler(() => minimal(ServerV2));
  const sessions = new Map();
  const open = async () => {
    const transport = new HttpV2({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await minimal(ServerV2).connect(transport);
    return transport;
  };
  return async (request, response, parsedBody, isStateful) => {
    const { method, headers, url } = request;
    const asked = new Request(`http://127.0.0.1${url}`, { method, headers });
    const answer = isStateful
      ? await (await transportOf(sessions, headers['mcp-session-id'], open)).handleRequest(asked, {
          parsedBody,
        })
      : await handler.fetch(asked, { parsedBody });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) for await (const piece of answer.body) response.write(piece);
    response.end();
  };
}

const serve = version === 'v1' ? v1() : v2();
createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const text = Buffer.concat(pieces).toString();
    serve(
      request,
      response,
      text === '' ? undefined : JSON.parse(text),
      request.url.includes('stateful'),
    ).catch((error) => {
      console.error(error);
      response.writeHead(500).end();
    });
  });
}).listen(Number(port), '127.0.0.1');
