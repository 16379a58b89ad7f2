interface PathNode<Target> {
  readonly literals: Map<string, PathNode<Target>>;
  parameter: PathNode<Target> | null;
  target: Target | null;
}

export interface PathMatch<Target> {
  readonly target: Target;
  /** The decoded values of the path's parameters, in order. */
  readonly values: readonly string[];
}

function newNode<Target>(): PathNode<Target> {
  return { literals: new Map(), parameter: null, target: null };
}

/**
 * Finds the target of a path, segment by segment. Literal segments take precedence over parameters. A trailing slash is
 * ignored. A parameter matches neither an empty segment nor invalid percent-encoding.
 */
export class PathTable<Target> {
  readonly #root: PathNode<Target> = newNode();

  /** Returns the target at a path pattern, creating it if necessary. */
  at(pattern: string, create: () => Target): Target {
    let node = this.#root;
    for (const segment of pattern.split('/').filter((part) => part !== '')) {
      node = segment.startsWith('{') ? childForParameter(node) : childForLiteral(node, segment);
    }
    node.target ??= create();
    return node.target;
  }

  find(path: string): PathMatch<Target> | null {
    const values: string[] = [];
    const target = walk(this.#root, path, 1, values);
    return target !== null && decodeInPlace(values) ? { target, values } : null;
  }
}

function childForParameter<Target>(node: PathNode<Target>): PathNode<Target> {
  node.parameter ??= newNode();
  return node.parameter;
}

function childForLiteral<Target>(node: PathNode<Target>, segment: string): PathNode<Target> {
  const child = node.literals.get(segment) ?? newNode();
  node.literals.set(segment, child);
  return child;
}

function walk<Target>(node: PathNode<Target>, path: string, from: number, values: string[]): Target | null {
  if (from >= path.length) return node.target;
  const slash = path.indexOf('/', from);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(from, end);
  const literal = node.literals.get(segment);
  if (literal !== undefined) {
    const target = walk(literal, path, end + 1, values);
    if (target !== null) return target;
  }
  if (node.parameter === null || segment === '') return null;
  values.push(segment);
  const target = walk(node.parameter, path, end + 1, values);
  if (target === null) values.pop();
  return target;
}

function decodeInPlace(values: string[]): boolean {
  try {
    for (let i = 0; i < values.length; i++) {
      if (values[i]!.includes('%')) values[i] = decodeURIComponent(values[i]!);
    }
    return true;
  } catch {
    return false;
  }
}
