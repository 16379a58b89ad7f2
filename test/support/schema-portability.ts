type Schema = Readonly<Record<string, unknown>>;

/** Keywords under which a bare `true` or `false` is usual. */
const TAKES_BOOLEANS = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']);
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLE = ['items', 'contains', 'not', 'propertyNames', 'if', 'then', 'else', ...TAKES_BOOLEANS];
/** Keywords that leave every value valid. */
const SAYS_NOTHING = new Set([
  ...['$schema', '$id', '$comment', '$anchor', '$defs', 'definitions', 'title', 'description', 'default'],
  ...['deprecated', 'readOnly', 'writeOnly', 'examples', 'if', 'then', 'else'],
]);

/**
 * Returns what strict clients of MCP find in a tool's schema, with where: the rules of the inspector 2.12 with `--strict`, which
 * are about what other dialects of JSON Schema, such as that of function declarations, cannot express.
 */
export function portabilityFaults(schema: unknown, keyword = '', path = 'schema'): string[] {
  if (typeof schema === 'boolean')
    return TAKES_BOOLEANS.has(keyword) ? [] : [`${path}: a bare ${schema} in place of a schema`];
  if (typeof schema !== 'object' || schema === null) return [`${path}: no schema`];
  const node = schema as Schema;
  return [
    ...ownFaults(node, keyword, path),
    ...partsOf(node, path).flatMap((part) => portabilityFaults(...part)),
  ];
}

function ownFaults(node: Schema, keyword: string, path: string): string[] {
  const faults: string[] = [];
  if (Array.isArray(node.type)) faults.push(`${path}: a list of types`);
  if (typeof node.$ref === 'string' && !node.$ref.startsWith('#')) faults.push(`${path}: a remote reference`);
  const says = Object.keys(node).some((key) => !SAYS_NOTHING.has(key));
  const isConditional = 'if' in node && ('then' in node || 'else' in node);
  if (!says && !isConditional && keyword !== 'not') faults.push(`${path}: takes any value`);
  return faults;
}

function partsOf(node: Schema, path: string): [schema: unknown, keyword: string, path: string][] {
  const named = [...MAPS, ...LISTS].flatMap((keyword) =>
    Object.entries((node[keyword] ?? {}) as object).map(([name, part]): [unknown, string, string] => [
      part,
      keyword,
      `${path}.${keyword}.${name}`,
    ]),
  );
  const single = SINGLE.filter((keyword) => keyword in node).map((keyword): [unknown, string, string] => [
    node[keyword],
    keyword,
    `${path}.${keyword}`,
  ]);
  return [...named, ...single];
}
