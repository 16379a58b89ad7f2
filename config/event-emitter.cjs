/** In the bundle, in place of the emitter of @discordjs/rest. */
exports.AsyncEventEmitter = require('node:events').EventEmitter;
