import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import type { Preset, SpeechKind } from '../../api/items.ts';
import { ask } from '../../api/request.ts';
import { Check, Choice, Field, Form } from '../../parts/form.tsx';
import { texts } from '../../texts.ts';
import { OptionField, type OptionValue } from './option-field.tsx';
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
  const [providerName, setProviderName] = useState<string>(preset?.provider ?? offering[0]?.name ?? '');
  const [name, setName] = useState(preset?.name ?? '');
  const [region, setRegion] = useState(preset?.region ?? '');
  const [apiKey, setApiKey] = useState('');
  const [options, setOptions] = useState<Readonly<Record<string, OptionValue>>>(preset?.options ?? {});
  const [enabled, setEnabled] = useState(preset?.enabled ?? true);

  const provider = offering.find((each) => each.name === providerName);
  const service = provider?.kinds[kind];
  const choose = (chosen: string): void => {
    setProviderName(chosen);
    setOptions({});
    setRegion('');
  };
  const submit = async (): Promise<void> => {
    const common = {
      ...(name && { name }),
      ...(apiKey && { api_key: apiKey }),
      region: region || null,
      options: Object.fromEntries(
        Object.entries(options).map(([key, value]) => [key, value === '' ? null : value]),
      ),
      enabled,
    };
    if (preset) await ask('PATCH /api/voice-configs/{id}', { params: { id: preset.id }, body: common });
    else await ask('POST /api/voice-configs', { body: { ...common, kind, provider: providerName } });
    onDone();
  };
  return (
    <Form submit={submit} action={texts.save}>
      {!preset && (
        <Choice
          label={t.provider}
          value={providerName}
          onValue={choose}
          options={offering.map((each) => [each.name, each.title] as const)}
        />
      )}
      {service?.missing && <p class="banner warn">{service.missing}</p>}
      <Field
        label={texts.name}
        value={name}
        onValue={setName}
        maxLength={80}
        placeholder={provider?.title ?? ''}
        autocomplete="off"
      />
      {provider?.needs_key && (
        <Field
          label={t.key}
          hint={preset ? texts.keepSecret : undefined}
          type="password"
          value={apiKey}
          onValue={setApiKey}
          required={!preset}
          autocomplete="off"
        />
      )}
      {provider && provider.regions.length > 0 && (
        <Choice
          label={t.region}
          value={region || (provider.regions[0]?.name ?? '')}
          onValue={setRegion}
          options={provider.regions.map((each) => [each.name, each.title] as const)}
        />
      )}
      {kind === 'tts' && provider && (
        <Voices
          provider={provider.name}
          needsKey={provider.needs_key}
          apiKey={apiKey}
          region={region}
          preset={preset}
          choose={(voice) => setOptions({ ...options, voice })}
        />
      )}
      {Object.entries(service?.schema.properties ?? {}).map(([key, property]) => (
        <OptionField
          key={`${providerName} ${key}`}
          property={property}
          value={options[key]}
          onValue={(value) => setOptions({ ...options, [key]: value })}
        />
      ))}
      <Check label={t.enable} hint={t.enableHint} checked={enabled} onChecked={setEnabled} />
    </Form>
  );
}
