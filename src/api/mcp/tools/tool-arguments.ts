import * as z from 'zod';
import { KEY_FORM } from '../../http/idempotency/idempotency.ts';
import { faultOf, ValidationError } from '../../http/request/validation.ts';
import type { Route } from '../../http/routing/route.ts';
import type { ValidationFault } from '../../schema/error-body.ts';
import { closestName } from './argument-names.ts';
import type { Arguments } from './mcp-tool.ts';

/** Makes a call take effect only once. */
const KeyArgument = z.object({ idempotency_key: z.string().regex(KEY_FORM).optional() });

type Input = z.ZodType;

/** Limit on reported unknown arguments, because searching for each one's correct name takes time. */
const MAX_UNKNOWN = 20;

/** A tool's arguments: the path, query and body parameters of its endpoint, all in one object. */
export class ToolArguments {
  readonly #route: Route;
  readonly #key: typeof KeyArgument | undefined;
  readonly #names: readonly string[];

  /** `names`: all arguments in the tool's schema. */
  constructor(route: Route, takesKey: boolean, names: readonly string[]) {
    this.#route = route;
    this.#key = takesKey ? KeyArgument : undefined;
    this.#names = names;
  }

  /** The schemas that validate the arguments. */
  static schemas({ params, query, body }: Route, takesKey: boolean): Input[] {
    const schemas = [params, query, body, takesKey ? KeyArgument : undefined];
    return schemas.filter((schema) => schema instanceof z.ZodType);
  }

  /** Validates the arguments and splits them for the endpoint. Throws a ValidationError with every fault. */
  read(args: unknown): Arguments {
    const faults = this.#unknownNames(args);
    const read = (schema: Route['body']): unknown => {
      if (schema === undefined || schema === 'raw') return undefined;
      const result = schema.safeParse(args);
      if (!result.success) faults.push(...result.error.issues.flatMap((issue) => faultsOf(issue, args)));
      return result.data;
    };
    const { params: path, query: search, body: content } = this.#route;
    const [params, query, body] = [read(path), read(search), read(content)];
    const keyed = read(this.#key) as z.output<typeof KeyArgument> | undefined;
    if (faults.length > 0) throw new ValidationError(faults);
    return { params, query, body, key: keyed?.idempotency_key ?? '' };
  }

  /**
   * Reports unknown arguments, because ignoring them would do harm: with `cursor` for `last_message_cursor`, svc_inbox
   * would not wait.
   */
  #unknownNames(args: unknown): ValidationFault[] {
    if (typeof args !== 'object' || args === null) return [];
    return Object.keys(args)
      .filter((name) => !this.#names.includes(name))
      .slice(0, MAX_UNKNOWN)
      .map((name) => ({ loc: ['arguments', name], type: 'extra_forbidden', msg: this.#adviceFor(name) }));
  }

  #adviceFor(name: string): string {
    const meant = closestName(name, this.#names);
    if (meant !== null) return `Unknown argument, did you mean ${meant}?`;
    if (this.#names.length === 0) return 'Unknown argument, this tool takes none';
    return `Unknown argument, this tool takes ${this.#names.join(', ')}`;
  }
}

/** Faults with the REST API's messages. For an invalid choice, adds the one that was probably meant. */
function faultsOf(issue: z.core.$ZodIssue, args: unknown): ValidationFault[] {
  const faults = faultOf(issue, 'arguments', args);
  const meant = issue.code === 'invalid_value' ? closestChoice(issue, args) : null;
  return meant === null
    ? faults
    : faults.map((fault) => ({ ...fault, msg: `${fault.msg}; did you mean ${meant}?` }));
}

function closestChoice({ path, values }: z.core.$ZodIssueInvalidValue, args: unknown): string | null {
  const [name, ...deeper] = path;
  const given = deeper.length === 0 ? (args as Readonly<Record<PropertyKey, unknown>>)[name ?? ''] : null;
  const choices = values.filter((value) => typeof value === 'string');
  const meant = typeof given === 'string' ? closestName(given, choices) : null;
  return meant === null ? null : JSON.stringify(meant);
}
