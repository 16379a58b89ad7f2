import { type WasmMemory, wasmInstance } from '../../audio/wasm.ts';

/** The only file that a program can open: what it writes there is its result. */
export const OUTPUT_FILE = '/output';

export interface WasiResult {
  readonly exitCode: number;
  /** What the program wrote to its file. */
  readonly output: readonly Uint8Array[];
  /** The start of what it wrote to standard output and standard error. */
  readonly messages: string;
}

interface WasiExports {
  readonly memory: WasmMemory;
  _start(): void;
}

const DIRECTORY = '/';
const [STDERR_FD, DIRECTORY_FD, OUTPUT_FD] = [2, 3, 4];
const [CHARACTER_DEVICE, DIRECTORY_TYPE, REGULAR_FILE] = [2, 3, 4];
const ALL_RIGHTS = 0xffff_ffff_ffff_ffffn;
const [SUCCESS, BAD_FD, NO_SPACE, SEEK_ERROR] = [0, 8, 51, 70];
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_MESSAGES_CHARS = 1_000;
const IOVEC_BYTES = 8;

/** Unwinds the program's stack when it exits. */
class ProgramExit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exited with ${code}`);
    this.code = code;
  }
}

/**
 * Runs a WebAssembly program to its end, in a new memory, on this thread. It sees its arguments, a clock and one file
 * in memory: node:wasi would give it real files, and warns that it is no sandbox. Throws if the program traps.
 * Source: WASI preview 1, https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
 */
export function runWasiProgram(module: object, args: readonly string[]): WasiResult {
  return new WasiRun(args).run(module);
}

class WasiRun {
  readonly #args: readonly Uint8Array[];
  readonly #output: Uint8Array[] = [];
  #outputBytes = 0;
  #messages = '';
  /** Known once the program is instantiated, which is before it calls anything. */
  #memory!: WasmMemory;

  constructor(args: readonly string[]) {
    this.#args = args.map((arg) => new TextEncoder().encode(`${arg}\0`));
  }

  run(module: object): WasiResult {
    const { memory, _start: start } = wasmInstance<WasiExports>(module, {
      wasi_snapshot_preview1: this.#imports(),
    });
    this.#memory = memory;
    return { exitCode: exitCodeOf(start), output: this.#output, messages: this.#messages };
  }

  #imports(): object {
    return {
      args_sizes_get: (countAt: number, bytesAt: number) => this.#argsSizes(countAt, bytesAt),
      args_get: (pointersAt: number, bytesAt: number) => this.#argsGet(pointersAt, bytesAt),
      clock_time_get: (_id: number, _precision: bigint, at: number) => this.#time(at),
      fd_prestat_get: (fd: number, at: number) => this.#preopened(fd, at),
      fd_prestat_dir_name: (_fd: number, at: number) => this.#directoryName(at),
      fd_fdstat_get: (fd: number, at: number) => this.#status(fd, at),
      fd_fdstat_set_flags: () => SUCCESS,
      path_open: (...path: unknown[]) => this.#open(path.at(-1) as number),
      fd_write: (fd: number, buffersAt: number, count: number, writtenAt: number) =>
        this.#write(fd, this.#gathered(buffersAt, count), writtenAt),
      fd_read: () => BAD_FD,
      fd_seek: () => SEEK_ERROR,
      fd_close: () => SUCCESS,
      proc_exit: (code: number) => {
        throw new ProgramExit(code);
      },
    };
  }

  #argsSizes(countAt: number, bytesAt: number): number {
    this.#view().setUint32(countAt, this.#args.length, true);
    const bytes = this.#args.reduce((sum, arg) => sum + arg.length, 0);
    this.#view().setUint32(bytesAt, bytes, true);
    return SUCCESS;
  }

  #argsGet(pointersAt: number, bytesAt: number): number {
    let at = bytesAt;
    for (const [i, arg] of this.#args.entries()) {
      this.#view().setUint32(pointersAt + 4 * i, at, true);
      this.#bytes(at, arg.length).set(arg);
      at += arg.length;
    }
    return SUCCESS;
  }

  #time(at: number): number {
    this.#view().setBigUint64(at, process.hrtime.bigint(), true);
    return SUCCESS;
  }

  /** The directory that the program has open from the start. */
  #preopened(fd: number, at: number): number {
    if (fd !== DIRECTORY_FD) return BAD_FD;
    this.#view().setUint32(at, 0, true);
    this.#view().setUint32(at + 4, DIRECTORY.length, true);
    return SUCCESS;
  }

  #directoryName(at: number): number {
    this.#view().setUint8(at, DIRECTORY.charCodeAt(0));
    return SUCCESS;
  }

  #status(fd: number, at: number): number {
    if (fd > OUTPUT_FD) return BAD_FD;
    const type = fd <= STDERR_FD ? CHARACTER_DEVICE : fd === DIRECTORY_FD ? DIRECTORY_TYPE : REGULAR_FILE;
    const view = this.#view();
    view.setUint16(at, type, true);
    view.setUint16(at + 2, 0, true);
    view.setBigUint64(at + 8, ALL_RIGHTS, true);
    view.setBigUint64(at + 16, ALL_RIGHTS, true);
    return SUCCESS;
  }

  /** Every path leads to the one file. */
  #open(fdAt: number): number {
    this.#view().setUint32(fdAt, OUTPUT_FD, true);
    return SUCCESS;
  }

  #write(fd: number, bytes: Uint8Array, writtenAt: number): number {
    if (fd === OUTPUT_FD) {
      this.#outputBytes += bytes.length;
      if (this.#outputBytes > MAX_OUTPUT_BYTES) return NO_SPACE;
      this.#output.push(bytes);
    } else if (this.#messages.length < MAX_MESSAGES_CHARS) {
      this.#messages += Buffer.from(bytes).toString('latin1', 0, MAX_MESSAGES_CHARS);
    }
    this.#view().setUint32(writtenAt, bytes.length, true);
    return SUCCESS;
  }

  /** A copy of the bytes in `count` buffers. */
  #gathered(buffersAt: number, count: number): Uint8Array {
    const view = this.#view();
    const buffers = Array.from({ length: count }, (_, i) => {
      const at = buffersAt + i * IOVEC_BYTES;
      return this.#bytes(view.getUint32(at, true), view.getUint32(at + 4, true));
    });
    return Buffer.concat(buffers);
  }

  #view(): DataView {
    return new DataView(this.#memory.buffer);
  }

  #bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, at, length);
  }
}

/** Runs the program until it returns or exits. */
function exitCodeOf(start: () => void): number {
  try {
    start();
    return 0;
  } catch (error) {
    if (error instanceof ProgramExit) return error.code;
    throw error;
  }
}
