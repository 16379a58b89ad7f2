import type { ApiMethods } from '@grammyjs/types';

/** A file that comes with the request, in place of a text that names one. */
export interface Upload {
  /** Under which name it comes. */
  readonly upload: string;
}

/** The Bot API as its machine-readable description has it: `BotApiSchema` reads this type with the TypeScript compiler. */
export type Methods = ApiMethods<Upload>;
