import { useSignal } from '@preact/signals';
import type { Answers, Preset, SpeechKind } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { entryOf, fill, type Held, held, useDraft, valuesOf } from '../../parts/draft.ts';
import { Area, Check, Choice, Field, Form } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';
import { Voices } from './voices.tsx';

type Catalog = Answers['GET /api/voice-configs/schema'];

const t = texts.voice;

interface PresetFormProps {
  readonly kind: SpeechKind;
  /** Absent: a new one. */
  readonly preset?: Preset;
  readonly catalog: Catalog;
  onDone(): void;
}

/** A preset, with the options that its provider has. */
export function PresetForm({ kind, preset, catalog, onDone }: PresetFormProps) {
  const offering = catalog.providers.filter(({ kinds }) => kinds[kind] !== undefined);
  const first = {
    provider: offering[0]?.name ?? '',
    name: '',
    region: '',
    api_key: '',
    enabled: true,
    ...preset,
  };
  const draft = useDraft({ ...first, provider: first.provider as string, region: first.region ?? '' });
  const options = useSignal<Readonly<Record<string, OptionValue>>>(preset?.options ?? {});

  const provider = offering.find((each) => each.name === draft.provider.value);
  const service = provider?.kinds[kind];
  const choose = (chosen: string): void => {
    fill(draft, { provider: chosen, region: '' });
    options.value = {};
  };
  const submit = async (): Promise<void> => {
    const { name, api_key, region, enabled, provider: chosen } = valuesOf(draft);
    const given = Object.entries(options.value).map(([key, value]) => [key, value === '' ? null : value]);
    const common = {
      ...(name && { name }),
      ...(api_key && { api_key }),
      region: region || null,
      options: Object.fromEntries(given),
      enabled,
    };
    if (preset) await ask('PATCH /api/voice-configs/{id}', { params: { id: preset.id }, body: common });
    else await ask('POST /api/voice-configs', { body: { ...common, kind, provider: chosen } });
    onDone();
  };
  return (
    <Form submit={submit} action={texts.save}>
      {!preset && (
        <Choice
          label={t.provider}
          of={held(draft.provider.value, choose)}
          options={offering.map((each) => [each.name, each.title] as const)}
        />
      )}
      {service?.missing && <p class="banner warn">{service.missing}</p>}
      <Field
        label={texts.name}
        of={draft.name}
        maxLength={80}
        placeholder={provider?.title ?? ''}
        autocomplete="off"
      />
      {provider?.needs_key && (
        <Field
          label={t.key}
          hint={preset ? texts.keepSecret : undefined}
          type="password"
          of={draft.api_key}
          required={!preset}
          autocomplete="off"
        />
      )}
      {provider && provider.regions.length > 0 && (
        <Choice
          label={t.region}
          of={draft.region}
          options={provider.regions.map((each) => [each.name, each.title] as const)}
        />
      )}
      {kind === 'tts' && provider && (
        <Voices
          provider={provider.name}
          needsKey={provider.needs_key}
          apiKey={draft.api_key.value}
          region={draft.region.value}
          preset={preset}
          choose={(voice) => {
            options.value = { ...options.value, voice };
          }}
        />
      )}
      {Object.entries(service?.schema.properties ?? {}).map(([key, property]) => (
        <OptionField key={`${provider?.name} ${key}`} property={property} of={entryOf(options, key, '')} />
      ))}
      <Check label={t.enable} hint={t.enableHint} of={draft.enabled} />
    </Form>
  );
}

type Service = NonNullable<Answers['GET /api/voice-configs/schema']['providers'][number]['kinds']['stt']>;
type Property = Service['schema']['properties'][string];
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
