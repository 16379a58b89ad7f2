import type { ComponentChildren } from 'preact';

interface FactsProps {
  /** Names and values. False: left out. */
  readonly of: readonly (readonly [name: string, value: ComponentChildren] | false)[];
  /** Large figures beside each other. */
  readonly isLarge?: boolean;
}

export function Facts({ of, isLarge = false }: FactsProps) {
  const known = of.filter((each) => each !== false);
  return (
    <dl class={isLarge ? 'figures' : 'facts'}>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="digits">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
