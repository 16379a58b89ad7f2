// The ws package doing the same, without compression as the gateway. `node echo-ws.mjs PORT`
import { WebSocketServer } from 'ws';

const options = {
  host: '127.0.0.1',
  port: Number(process.argv[2]),
  path: '/stream',
  perMessageDeflate: false,
};
new WebSocketServer(options).on('connection', (socket) => {
  socket.on('message', (message) => socket.send(message, { binary: true }));
});
