import { readFileSync } from 'node:fs';

/** Memory of a module. Its buffer is a new one after the memory has grown. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The part of the WebAssembly API used here. Its types come only with the DOM library. */
interface Wasm {
  readonly Module: new (binary: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;

/** Compiles a WebAssembly file. */
export function wasmModule(file: string | URL): object {
  return new Module(readFileSync(file));
}

/** Creates an instance of a module, with its own memory. */
export function wasmInstance<Exports>(module: object, imports: object = {}): Exports {
  return new Instance(module, imports).exports as Exports;
}
