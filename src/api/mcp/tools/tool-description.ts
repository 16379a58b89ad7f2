import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { assert } from '../../../base/assert.ts';
import type { ResponseSpec, Route } from '../../http/routing/route.ts';
import type { ToolSpec } from './mcp-tool.ts';
import { ToolArguments } from './tool-arguments.ts';

type JsonObject = Record<string, unknown>;
type ObjectSchema = Tool['inputSchema'];

/** A tool as `tools/list` shows it. Models read every word of it, so schemas are as short as they can be. */
export function describeTool(spec: ToolSpec, route: Route, output: z.ZodType): Tool {
  const { name, title, description, hints } = spec;
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(spec, route),
    outputSchema: outline(jsonSchema(output, 'output'), OUTLINE_DEPTH) as ObjectSchema,
    annotations: hints,
  };
}

/** Schema of the endpoint's success answer; a union if there are several. */
export function answerSchema({ responses }: Route): z.ZodType {
  const schemas = Object.values(responses).flatMap((spec: ResponseSpec) =>
    typeof spec === 'string' || spec.schema === undefined ? [] : [spec.schema],
  );
  return schemas.length === 1 ? schemas[0]! : z.union(schemas);
}

/** The schema of all arguments in one object, with descriptions for models. */
function inputSchema({ name, params, takesKey }: ToolSpec, route: Route): ObjectSchema {
  const schemas = ToolArguments.schemas(route, takesKey === true).map((part) => jsonSchema(part, 'input'));
  const required = schemas.flatMap((schema) => schema.required ?? []);
  const properties: JsonObject = Object.assign({}, ...schemas.map((schema) => schema.properties));
  for (const [param, property] of Object.entries(properties)) {
    assert(params[param], `${name}: ${param} is not described`);
    properties[param] = { ...inputOutline(property as JsonObject), description: params[param] };
  }
  const needed = required.length > 0 && { required };
  return { type: 'object', properties, ...needed, additionalProperties: false } as ObjectSchema;
}

/** Attachments are described in words: their three forms would take half of the schema. */
function inputOutline({ items, pattern: _, maximum, ...property }: JsonObject): JsonObject {
  return {
    ...property,
    ...(maximum !== Number.MAX_SAFE_INTEGER && maximum !== undefined && { maximum }),
    ...(items !== undefined && { items: { type: (items as JsonObject).type ?? 'object' } }),
  };
}

/** Objects nested deeper than this are shown without their properties. */
const OUTLINE_DEPTH = 1;
/** Longer lists of choices are left out: models know the platforms from the arguments. */
const MOST_CHOICES = 7;

/**
 * Reduces a schema to types and names, without the details in the REST API's description. Every value that the outline
 * rejects is also invalid in the full schema.
 */
function outline({ type, enum: choices, anyOf, properties, items }: JsonObject, depth: number): JsonObject {
  const isShort = Array.isArray(choices) && choices.length <= MOST_CHOICES;
  const deeper = (each: unknown): JsonObject => outline(each as JsonObject, depth - 1);
  return {
    ...(typeof type === 'string' && { type }),
    ...(Array.isArray(type) && { anyOf: type.map((one: string) => ({ type: one })) }),
    ...(isShort && { enum: choices }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map((each) => outline(each as JsonObject, depth)) }),
    ...(items !== undefined && { items: deeper(items) }),
    ...(properties !== undefined &&
      depth > 0 && {
        properties: Object.fromEntries(
          Object.entries(properties as JsonObject).map(([name, property]) => [name, deeper(property)]),
        ),
      }),
  };
}

/**
 * Converts a schema to JSON Schema without references, because the names of the REST API's schemas mean nothing here.
 */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io });
  return { type: 'object', ...(inlined(root, $defs) as JsonObject) };
}

const REFERENCE = '#/$defs/';

function inlined(node: unknown, definitions: JsonObject): unknown {
  if (Array.isArray(node)) return node.map((each) => inlined(each, definitions));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref: reference, ...own } = node as JsonObject;
  const referenced =
    typeof reference === 'string' ? (definitions[reference.slice(REFERENCE.length)] as JsonObject) : {};
  const entries = Object.entries({ ...referenced, ...own });
  return Object.fromEntries(entries.map(([key, value]) => [key, inlined(value, definitions)]));
}
