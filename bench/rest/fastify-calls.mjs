// Bare Fastify doing what the gateway's REST does for a call: a key looked up by its hash, parameters, query and body against
// the same JSON schemas, the call out of a map, the answer by Fastify's compiled serializer.
// `node fastify-calls.mjs PORT FIXTURE.json`, where the fixture is what fixture.ts writes.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

const [, , port, fixturePath] = process.argv;
const { key, call, schemas } = JSON.parse(readFileSync(fixturePath, 'utf8'));
const hashOf = (text) => hash('sha256', text, 'hex');
const principals = new Map([[hashOf(key), { accountId: 'acc', kind: 'agent' }]]);
const calls = new Map([[call.call_id, call]]);

const NO_CALL = { detail: 'Call not found', code: 'call_not_found' };
const NO_SPEECH = { detail: 'Hosted TTS not configured', code: 'tts_not_configured' };

const app = Fastify();

app.addHook('onRequest', async (request, reply) => {
  const { 'x-api-key': apiKey, authorization = '' } = request.headers;
  const credential = apiKey ?? (authorization.startsWith('Bearer ') ? authorization.slice(7) : '');
  request.principal = principals.get(hashOf(credential));
  if (request.principal === undefined) return reply.code(401).send({ detail: 'Unauthorized' });
});

app.get(
  '/api/call/:call_id',
  { schema: { params: schemas.params, querystring: schemas.query, response: { 200: schemas.call } } },
  (request, reply) => {
    const found = calls.get(request.params.call_id);
    if (found === undefined) reply.code(404).send(NO_CALL);
    else reply.send({ ...found, audio: { ...found.audio } });
  },
);

app.post(
  '/api/call/:call_id/say',
  { schema: { params: schemas.params, body: schemas.say, response: { 400: schemas.error } } },
  (request, reply) => {
    const known = calls.has(request.params.call_id);
    reply.code(known ? 400 : 404).send(known ? NO_SPEECH : NO_CALL);
  },
);

await app.listen({ host: '127.0.0.1', port: Number(port) });
