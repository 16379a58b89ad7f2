import type { Signal } from '@preact/signals';

interface LevelProps {
  readonly label: string;
  /** From 0 to 1. */
  readonly level: number;
}

/** How loud something is now. */
export function Level({ label, level }: LevelProps) {
  return <meter class="level" aria-label={label} min={0} max={1} value={Math.sqrt(level)} />;
}

/** The same of what changes with every frame: nothing else is drawn again. */
export function LiveLevel({ label, of }: { readonly label: string; readonly of: Signal<number> }) {
  return <Level label={label} level={of.value} />;
}
