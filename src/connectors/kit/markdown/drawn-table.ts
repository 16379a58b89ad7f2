import { plainOf, type TableRow } from './document.ts';

/** Draws a table for a font whose characters are equally wide, with a line below its head. */
export function drawnTable(rows: readonly TableRow[]): string {
  const cells = rows.map((row) => row.map((cell) => plainOf(cell)));
  const widths: number[] = [];
  for (const row of cells)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(' | ')
      .trimEnd(),
  );
  const below = widths.map((width) => '-'.repeat(width)).join('-+-');
  return [...lines.slice(0, 1), below, ...lines.slice(1)].join('\n');
}
