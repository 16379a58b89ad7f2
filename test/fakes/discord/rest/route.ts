import type * as z from 'zod';
import type { FakeBot } from '../fake-bot.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { World } from '../world/world.ts';

/** A file of a multipart body, by the index in its name `files[n]`. */
export interface UploadedFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Buffer;
}

/** A request whose token, body and query have been checked. */
export interface RestCall<Body, Query> {
  readonly world: World;
  readonly gateway: Gateway;
  readonly bot: FakeBot;
  /** The parts of the path that stand for something, in their order. */
  readonly ids: readonly string[];
  readonly body: Body;
  readonly query: Query;
  readonly files: ReadonlyMap<number, UploadedFile>;
}

/** A request that bots make. */
export interface Route<Body = unknown, Query = unknown> {
  /** By which tests call it, in the words of the documentation. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v10`; `:` stands for an id. */
  readonly path: string;
  readonly body?: z.ZodType<Body>;
  readonly query?: z.ZodType<Query>;
  /** Null: 204. */
  handle(call: RestCall<Body, Query>): object | null;
}

/** Lets the types of body and query follow from the schemas. */
export function route<Body, Query>(declared: Route<Body, Query>): Route {
  return declared as Route;
}
