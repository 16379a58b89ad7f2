import type { Answers } from '../../api/answers.ts';
import { Area, Check, Choice, Field } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';

type Service = NonNullable<Answers['GET /api/voice-configs/schema']['providers'][number]['kinds']['stt']>;
type Property = Service['schema']['properties'][string];
export type OptionValue = string | number | boolean | readonly string[];

interface OptionFieldProps {
  readonly property: Property;
  readonly value: OptionValue | undefined;
  /** '' brings the default back. */
  onValue(value: OptionValue): void;
}

/** The field for an option, as its schema describes it. */
export function OptionField({ property, value, onValue }: OptionFieldProps) {
  const { type, title, description, default: usual, examples = [] } = property;
  const hint = `${description}${examples.length > 0 ? ` ${texts.voice.examples(examples)}` : ''}`;
  const shown = value === undefined ? '' : `${value}`;
  if (type === 'boolean')
    return <Check label={title} hint={description} checked={Boolean(value ?? usual)} onChecked={onValue} />;
  if (type === 'array') {
    const lines = Array.isArray(value) ? value.join('\n') : '';
    const split = (text: string): void => onValue(text.split('\n').filter((line) => line !== ''));
    return (
      <Area label={title} hint={`${hint} ${texts.voice.onePerLine}`} value={lines} onValue={split} rows={3} />
    );
  }
  if (property.enum) {
    const options = [
      ['', texts.voice.usual(`${usual ?? ''}`)],
      ...property.enum.map((each) => [each, each] as const),
    ] as const;
    return <Choice label={title} hint={hint} value={shown} options={options} onValue={onValue} />;
  }
  const isNumber = type === 'number' || type === 'integer';
  return (
    <Field
      label={title}
      hint={hint}
      value={shown}
      placeholder={`${usual ?? ''}`}
      onValue={(text) => onValue(isNumber && text !== '' ? Number(text) : text)}
      {...(isNumber && {
        type: 'number',
        step: type === 'integer' ? 1 : 'any',
        min: property.minimum,
        max: property.maximum,
      })}
    />
  );
}
