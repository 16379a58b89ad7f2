const MAX_CHARACTERS = 200;
/** Anything before this limit cannot be part of the name. */
const MAX_READ_CHARACTERS = 4_096;
const NAMELESS = 'file';

/** Control characters, and characters that change a name's reading direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNWANTED = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const PATH_SEPARATOR = /[/\\]/;

/** Returns a safe file name from untrusted text: no path, no invisible characters, never empty. */
export function cleanFileName(text: string | null | undefined): string {
  const lastPart = (text ?? '')
    .slice(-MAX_READ_CHARACTERS)
    .toWellFormed()
    .split(PATH_SEPARATOR)
    .findLast((part) => part.trim() !== '');
  const visible = (lastPart ?? '').replace(UNWANTED, '').trim();
  const isName = visible !== '' && visible !== '.' && visible !== '..';
  return isName ? shortened(visible) : NAMELESS;
}

/** Keeps the extension, which tells people and programs the file type. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_CHARACTERS) return name;
  const extension = /\.[\p{L}\p{N}]{1,16}$/u.exec(name)?.[0] ?? '';
  return (
    characters
      .slice(0, MAX_CHARACTERS - extension.length)
      .join('')
      .trimEnd() + extension
  );
}
