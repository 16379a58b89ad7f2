import * as z from 'zod';
import { KEY_FORM, KEY_FORM_TEXT } from '../../http/idempotency/idempotency.ts';
import {
  type KnownFields,
  knownFields,
  mergedFields,
  unknownFields,
} from '../../http/request/known-fields.ts';
import { MAX_UNKNOWN, parse, unknownFieldFault, ValidationError } from '../../http/request/validation.ts';
import type { Route } from '../../http/routing/route.ts';
import type { Arguments } from './mcp-tool.ts';

/** Makes a call take effect only once. */
const KeyArgument = z.object({ idempotency_key: z.string().regex(KEY_FORM, KEY_FORM_TEXT).optional() });

/** A tool's arguments: the path, query and body parameters of its endpoint, all in one object. */
export class ToolArguments {
  readonly #route: Route;
  readonly #key: typeof KeyArgument | undefined;
  readonly #fields: KnownFields;

  constructor(route: Route, takesKey: boolean) {
    this.#route = route;
    this.#key = takesKey ? KeyArgument : undefined;
    this.#fields = mergedFields(ToolArguments.schemas(route, takesKey).map(knownFields));
  }

  /** The schemas that validate the arguments. */
  static schemas({ params, query, body }: Route, takesKey: boolean): z.ZodType[] {
    const schemas = [params, query, body, takesKey ? KeyArgument : undefined];
    return schemas.filter((schema) => schema instanceof z.ZodType);
  }

  /**
   * Validates the arguments and splits them for the endpoint. Throws a ValidationError with every fault. Unknown
   * arguments are faults, because ignoring them would do harm: with `cursor` for `last_message_cursor`, svc_inbox would
   * not wait.
   */
  read(args: unknown): Arguments {
    const unknown = unknownFields(this.#fields, args, MAX_UNKNOWN);
    const faults = unknown.map((field) => unknownFieldFault('arguments', field));
    const read = (schema: Route['body']): unknown => {
      if (schema === undefined || schema === 'raw') return undefined;
      const parsed = parse(schema, 'arguments', args);
      if (parsed.faults === null) return parsed.value;
      faults.push(...parsed.faults);
      return undefined;
    };
    const { params: path, query: search, body: content } = this.#route;
    const [params, query, body] = [read(path), read(search), read(content)];
    const keyed = read(this.#key) as z.output<typeof KeyArgument> | undefined;
    if (faults.length > 0) throw new ValidationError(faults);
    return { params, query, body, key: keyed?.idempotency_key ?? '' };
  }
}
