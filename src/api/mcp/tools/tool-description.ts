import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { ResponseSpec, Route } from '../../http/route.ts';
import type { ToolSpec } from './mcp-tool.ts';
import { inputParts } from './tool-arguments.ts';

type JsonObject = Record<string, unknown>;
type ObjectSchema = Tool['inputSchema'];

/** What a list of tools says of a tool. */
export function describeTool(spec: ToolSpec, route: Route, output: z.ZodType): Tool {
  const { name, title, description, hints, takesKey = false } = spec;
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(inputParts(route, takesKey)),
    outputSchema: jsonSchema(output, 'output'),
    annotations: { title, ...hints },
  };
}

/** What the endpoint answers where all went well; of several answers, any. */
export function answerSchema({ responses }: Route): z.ZodType {
  const schemas = Object.values(responses).flatMap((spec: ResponseSpec) =>
    typeof spec === 'string' || spec.schema === undefined ? [] : [spec.schema],
  );
  return schemas.length === 1 ? schemas[0]! : z.union(schemas);
}

/** Of all parts together: they are told apart where the arguments are read. */
function inputSchema(parts: readonly z.ZodType[]): ObjectSchema {
  const schemas = parts.map((part) => jsonSchema(part, 'input'));
  const required = schemas.flatMap((schema) => schema.required ?? []);
  const properties = Object.assign({}, ...schemas.map((schema) => schema.properties));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** Without references: what a schema is called in the REST API's description says nothing here. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io });
  return { type: 'object', ...(inlined(root, $defs) as JsonObject) };
}

const REFERENCE = '#/$defs/';

function inlined(node: unknown, definitions: JsonObject): unknown {
  if (Array.isArray(node)) return node.map((each) => inlined(each, definitions));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref: reference, ...own } = node as JsonObject;
  const meant =
    typeof reference === 'string' ? (definitions[reference.slice(REFERENCE.length)] as JsonObject) : {};
  const entries = Object.entries({ ...meant, ...own });
  return Object.fromEntries(entries.map(([key, value]) => [key, inlined(value, definitions)]));
}
