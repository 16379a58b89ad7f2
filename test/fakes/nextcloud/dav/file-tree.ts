import { createHash } from 'node:crypto';

/** A file. Several users have the same one when it is shared. */
export interface FakeFile {
  readonly id: number;
  readonly mime: string;
  readonly bytes: Buffer;
  readonly modifiedAt: Date;
}

let lastId = 100;

export function newFile(bytes: Buffer, mime: string): FakeFile {
  lastId += 1;
  return { id: lastId, mime, bytes, modifiedAt: new Date() };
}

export function etagOf({ id, bytes }: FakeFile): string {
  return createHash('md5').update(`${id}:`).update(bytes).digest('hex');
}

/** The files and folders of a user, by their paths, without a slash at either end. The root is ''. */
export class FileTree {
  readonly files = new Map<string, FakeFile>();
  readonly folders = new Set<string>(['']);

  /** Whether the folder of a path is there. */
  hasFolderOf(path: string): boolean {
    return this.folders.has(folderOf(path));
  }

  /** Adds a file under a name that is free, and its folder. Returns its path. */
  add(folder: string, name: string, file: FakeFile): string {
    this.folders.add(folder);
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    const within = (each: string) => (folder === '' ? each : `${folder}/${each}`);
    let path = within(name);
    for (let count = 2; this.files.has(path); count += 1) path = within(`${stem} (${count})${extension}`);
    this.files.set(path, file);
    return path;
  }

  pathOf(file: FakeFile): string | null {
    for (const [path, each] of this.files) if (each.id === file.id) return path;
    return null;
  }

  /** Removes a file, or a folder with all that is in it. Returns whether it was there. */
  remove(path: string): boolean {
    const isThere = this.files.delete(path) || this.folders.delete(path);
    for (const each of [...this.files.keys()]) if (each.startsWith(`${path}/`)) this.files.delete(each);
    for (const each of [...this.folders]) if (each.startsWith(`${path}/`)) this.folders.delete(each);
    return isThere;
  }

  /** What lies directly in a folder. */
  childrenOf(folder: string): string[] {
    return [...this.folders, ...this.files.keys()].filter((path) => path !== '' && folderOf(path) === folder);
  }
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
