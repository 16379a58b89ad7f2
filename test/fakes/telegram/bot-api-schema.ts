import { join } from 'node:path';
import ts from 'typescript';

const TYPES_FILE = join(import.meta.dirname, 'method-types.ts');
const { TypeFlags, SymbolFlags } = ts;

/** What one method takes and gives. */
interface MethodTypes {
  /** Undefined: it takes nothing. */
  readonly parameters: ts.Type | undefined;
  readonly result: ts.Type;
}

/**
 * The Bot API's methods with all their fields, read from the type declarations of the npm package @grammyjs/types (MIT),
 * which are made from Telegram's documentation. Nothing here is written by hand, so that nothing can be forgotten here.
 */
export class BotApiSchema {
  readonly #checker: ts.TypeChecker;
  /** By their names in lower case: Telegram ignores case. */
  readonly #methods = new Map<string, MethodTypes>();

  constructor() {
    const program = ts.createProgram([TYPES_FILE], {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      types: [],
    });
    this.#checker = program.getTypeChecker();
    const file = program.getSourceFile(TYPES_FILE)!;
    const exported = this.#checker.getExportsOfModule(this.#checker.getSymbolAtLocation(file)!);
    const methods = exported.find(({ name }) => name === 'Methods')!;
    for (const method of this.#checker.getDeclaredTypeOfSymbol(methods).getProperties()) {
      this.#methods.set(method.name.toLowerCase(), this.#typesOf(method));
    }
    if (this.#methods.size < 100) throw new Error('the declarations of the Bot API were not found');
  }

  has(method: string): boolean {
    return this.#methods.has(method.toLowerCase());
  }

  /** Null when a call is one that the API knows; else what is wrong with it. */
  faultOfCall(method: string, parameters: Readonly<Record<string, unknown>>): string | null {
    const types = this.#methods.get(method.toLowerCase());
    if (!types) return `there is no method ${method}`;
    if (types.parameters) return this.#fault(types.parameters, parameters, method);
    const [name] = Object.keys(parameters);
    return name === undefined ? null : `${method}.${name}: there is no such field`;
  }

  /** The same for an answer's result. */
  faultOfResult(method: string, result: unknown): string | null {
    return this.#fault(this.#methods.get(method.toLowerCase())!.result, result, `result of ${method}`);
  }

  /** Fields of forms are texts; where a method takes none, they are JSON. */
  valueOfField(method: string, name: string, text: string): unknown {
    const parameters = this.#methods.get(method.toLowerCase())?.parameters;
    const field = parameters?.getProperty(name);
    if (!field || this.#fault(this.#checker.getTypeOfSymbol(field), text, name) === null) return text;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  #typesOf(method: ts.Symbol): MethodTypes {
    const [signature] = this.#checker.getTypeOfSymbol(method).getCallSignatures();
    const [parameters] = signature!.getParameters();
    return {
      parameters: parameters && this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(parameters)),
      result: signature!.getReturnType(),
    };
  }

  #fault(type: ts.Type, value: unknown, path: string): string | null {
    if (type.flags & (TypeFlags.Any | TypeFlags.Unknown)) return null;
    if (type.isUnion()) return this.#faultOfUnion(type.types, value, path);
    if (type.isIntersection()) {
      // Such as `string & {}`, which keeps editors from forgetting the literals beside it.
      const primitive = type.types.find((part) => isPrimitive(part));
      if (primitive) return this.#fault(primitive, value, path);
    }
    if (isPrimitive(type)) return fitsPrimitive(type, value) ? null : `${path}: ${shown(value)} does not fit`;
    if (this.#checker.isArrayType(type)) return this.#faultOfArray(type as ts.TypeReference, value, path);
    return this.#faultOfObject(type, value, path);
  }

  #faultOfUnion(types: readonly ts.Type[], value: unknown, path: string): string | null {
    const faults = types.map((type) => this.#fault(type, value, path));
    if (faults.includes(null)) return null;
    // The fault that was found deepest is the most specific.
    return faults.reduce((deepest, fault) => (fault!.length > deepest!.length ? fault : deepest));
  }

  #faultOfArray(type: ts.TypeReference, value: unknown, path: string): string | null {
    if (!Array.isArray(value)) return `${path}: ${shown(value)} is no array`;
    const [element] = this.#checker.getTypeArguments(type);
    for (const [index, each] of value.entries()) {
      const fault = this.#fault(element!, each, `${path}[${index}]`);
      if (fault !== null) return fault;
    }
    return null;
  }

  #faultOfObject(type: ts.Type, value: unknown, path: string): string | null {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return `${path}: ${shown(value)} is no object`;
    }
    const fields = this.#checker.getPropertiesOfType(type);
    const given = value as Readonly<Record<string, unknown>>;
    const unknown = Object.keys(given).find((name) => !fields.some((field) => field.name === name));
    if (unknown !== undefined) return `${path}.${unknown}: there is no such field`;
    for (const field of fields) {
      const fault = this.#faultOfField(field, given[field.name], `${path}.${field.name}`);
      if (fault !== null) return fault;
    }
    return null;
  }

  #faultOfField(field: ts.Symbol, value: unknown, path: string): string | null {
    const type = this.#checker.getTypeOfSymbol(field);
    const isOptional = (field.flags & SymbolFlags.Optional) !== 0 || (type.flags & TypeFlags.Undefined) !== 0;
    if (value === undefined) return isOptional ? null : `${path}: is missing`;
    return this.#fault(type, value, path);
  }
}

const PRIMITIVE =
  TypeFlags.StringLike |
  TypeFlags.NumberLike |
  TypeFlags.BooleanLike |
  TypeFlags.Undefined |
  TypeFlags.Null |
  TypeFlags.Never;

function isPrimitive(type: ts.Type): boolean {
  return (type.flags & PRIMITIVE) !== 0;
}

function fitsPrimitive(type: ts.Type, value: unknown): boolean {
  if (type.isStringLiteral() || type.isNumberLiteral()) return value === type.value;
  if (type.flags & TypeFlags.BooleanLiteral) {
    return value === ((type as ts.Type & { intrinsicName: string }).intrinsicName === 'true');
  }
  if (type.flags & TypeFlags.StringLike) return typeof value === 'string';
  if (type.flags & TypeFlags.NumberLike) return Number.isFinite(value);
  return type.flags & TypeFlags.Null ? value === null : false;
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 80) ?? 'undefined';
}
