import type { Answers } from '../../api/answers.ts';
import { type Held, held } from '../../parts/draft.ts';
import { Area, Check, Choice, Field } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';

type Service = NonNullable<Answers['GET /api/voice-configs/schema']['providers'][number]['kinds']['stt']>;
type Property = Service['schema']['properties'][string];
const t = texts.voice;

export type OptionValue = string | number | boolean | readonly string[];

interface OptionFieldProps {
  readonly property: Property;
  /** '' is the default. */
  readonly of: Held<OptionValue>;
}

/** The field for an option, as its schema describes it. */
export function OptionField({ property, of }: OptionFieldProps) {
  const { type, title, description, default: usual, examples = [] } = property;
  const hint = `${description}${examples.length > 0 ? ` ${t.examples(examples)}` : ''}`;
  const set = (value: OptionValue): void => {
    of.value = value;
  };
  if (type === 'boolean') {
    const isOn = Boolean(of.value === '' ? usual : of.value);
    return <Check label={title} hint={description} of={held(isOn, set)} />;
  }
  if (type === 'array') {
    const lines = Array.isArray(of.value) ? of.value.join('\n') : '';
    const split = (text: string): void => set(text.split('\n').filter((line) => line !== ''));
    return <Area label={title} hint={`${hint} ${t.onePerLine}`} of={held(lines, split)} rows={3} />;
  }
  if (property.enum) {
    const options = [
      ['', t.usual(`${usual ?? ''}`)] as const,
      ...property.enum.map((each) => [each, each] as const),
    ];
    return <Choice label={title} hint={hint} of={held(`${of.value}`, set)} options={options} />;
  }
  const isNumber = type === 'number' || type === 'integer';
  const read = (text: string): void => set(isNumber && text !== '' ? Number(text) : text);
  const limits = {
    type: 'number',
    step: type === 'integer' ? 1 : 'any',
    min: property.minimum,
    max: property.maximum,
  };
  const typed = held(`${of.value}`, read);
  return (
    <Field label={title} hint={hint} of={typed} placeholder={`${usual ?? ''}`} {...(isNumber && limits)} />
  );
}
