/**
 * Loaded before a gateway (`--require`): kills it at one of its writes to the database. While the file `KILL_AT_WRITE`
 * is there, writes and commits of the main thread are counted, and their SQL is appended to `<file>.log`. The file holds
 * JSON: `nth`, from 1, and `when`, `before` or `after`. Plain CommonJS, as the gateway's bundle is.
 */
const { appendFileSync, readFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const file = process.env.KILL_AT_WRITE;
if (isMainThread && file) {
  const { prototype } = require('better-sqlite3');
  const { prepare } = prototype;
  let count = 0;
  let armed = '';

  /** Returns what to do at this write; null: nothing. */
  const planned = () => {
    let text = '';
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      // Not armed.
    }
    if (text !== armed) count = 0;
    armed = text;
    return text === '' ? null : JSON.parse(text);
  };

  const die = () => process.kill(process.pid, 'SIGKILL');

  const watched = (statement, sql) => {
    for (const method of ['run', 'all', 'get']) {
      const own = statement[method];
      statement[method] = function watch(...args) {
        const plan = planned();
        if (plan === null) return own.apply(this, args);
        count += 1;
        appendFileSync(`${file}.log`, `${sql.replace(/\s+/g, ' ').slice(0, 120)}\n`);
        if (count === plan.nth && plan.when === 'before') die();
        const result = own.apply(this, args);
        if (count === plan.nth && plan.when === 'after') die();
        return result;
      };
    }
    return statement;
  };

  prototype.prepare = function prepareWatched(sql) {
    const statement = prepare.call(this, sql);
    return statement.readonly && !/^\s*commit/i.test(sql) ? statement : watched(statement, sql);
  };
}
