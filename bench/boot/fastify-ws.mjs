// What boots beside the gateway: bare Fastify and the ws package, with one route and one WebSocket, as plain JavaScript.
// `node fastify-ws.mjs PORT`
import Fastify from 'fastify';
import { WebSocketServer } from 'ws';

const app = Fastify();
const schema = { response: { 200: { type: 'object', properties: { status: { type: 'string' } } } } };
app.get('/readyz', { schema }, () => ({ status: 'ready' }));
const sockets = new WebSocketServer({ server: app.server, path: '/stream', perMessageDeflate: false });
sockets.on('connection', (socket) => socket.on('message', (message) => socket.send(message)));
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
