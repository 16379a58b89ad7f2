import { useState } from 'preact/hooks';
import type { Answers, Preset, SpeechKind } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/button.tsx';
import { type Body, bodyOf, type Fields, fieldOf, fillIn } from '../../parts/field.ts';
import { Form, Input } from '../../parts/form.tsx';
import { Row, Rows } from '../../parts/list.tsx';
import { texts } from '../../texts.ts';
import { t } from '../voice.texts.ts';

type Catalog = Answers['GET /api/voice-configs/schema'];
type Provider = Catalog['providers'][number];

interface PresetFormProps {
  readonly kind: SpeechKind;
  /** Absent: a new one. */
  readonly preset?: Preset | undefined;
  onDone(): void;
}

/** A preset, with the options that its provider has. */
export function PresetForm({ catalog, ...props }: PresetFormProps & { readonly catalog: Catalog }) {
  const { kind, preset } = props;
  const offering = catalog.providers.filter(({ kinds }) => kinds[kind] !== undefined);
  const [chosen, choose] = useState<string>(preset?.provider ?? offering[0]?.name ?? '');
  const provider = offering.find(({ name }) => name === chosen);
  return (
    <>
      {!preset && <Input {...t.provider} onValue={choose} options={namesOf(offering)} />}
      {provider && <OfProvider key={provider.name} {...props} provider={provider} />}
    </>
  );
}

function namesOf(all: readonly { readonly name: string; readonly title: string }[]) {
  return Object.fromEntries(all.map(({ name, title }) => [name, title]));
}

function OfProvider({ kind, preset, provider, onDone }: PresetFormProps & { readonly provider: Provider }) {
  const options = optionsOf(provider, kind);
  const { needs_key: needsKey, regions } = provider;
  const fields: Fields = {
    name: { label: texts.name, maxLength: 80, placeholder: provider.title, isKept: true },
    ...(needsKey && {
      api_key: preset ? { ...t.key, hint: texts.keepSecret } : { ...t.key, required: true },
    }),
    ...(regions.length > 0 && { region: { ...t.region, options: namesOf(regions) } }),
    ...options,
    enabled: t.enabledField,
  };
  const submit = async (body: Body): Promise<void> => {
    const { options: chosen = [], common = [] } = Object.groupBy(Object.entries(body), ([name]) =>
      options[name] ? 'options' : 'common',
    );
    const whole = { ...Object.fromEntries(common), options: Object.fromEntries(chosen) };
    if (preset) await ask('PATCH /api/voice-configs/{id}', { id: preset.id, ...whole });
    else await ask('POST /api/voice-configs', { ...whole, kind, provider: provider.name });
    onDone();
  };
  const { missing } = provider.kinds[kind] ?? {};
  const stored = preset && { ...preset, ...preset.options };
  return (
    <Form fields={fields} stored={stored} submit={submit} action={texts.save}>
      {missing && <p class="banner warn">{missing}</p>}
      {kind === 'tts' && <Voices provider={provider} preset={preset} />}
    </Form>
  );
}

function optionsOf({ kinds }: Provider, kind: SpeechKind): Fields {
  const fields = Object.entries(kinds[kind]?.schema.properties ?? {}).map(([name, property]) => {
    const { description, examples = [], type } = property;
    const known = examples.length > 0 && t.examples(examples);
    const hint = [description, known, type === 'array' && t.onePerLine].filter(Boolean).join('. ');
    return [name, fieldOf({ ...property, description: hint }, t.usual)] as const;
  });
  return Object.fromEntries(fields);
}

type Voice = Answers['POST /api/providers/{name}/voices']['voices'][number];

interface VoicesProps {
  readonly provider: Provider;
  readonly preset: Preset | undefined;
}

/** The voices of the provider, to be heard and chosen for the form that this stands in. */
function Voices({ provider, preset }: VoicesProps) {
  const { name, needs_key: needsKey, regions } = provider;
  const [voices, setVoices] = useState<readonly Voice[]>();
  const [wanted, setWanted] = useState('');
  const list = async (form: HTMLFormElement): Promise<void> => {
    const given = { ...(needsKey && { api_key: t.key }), ...(regions.length > 0 && { region: t.region }) };
    const ofKey = bodyOf(form, given, {}, true);
    const isOfPreset = needsKey && preset && ofKey.api_key === undefined;
    const whose = isOfPreset ? { voice_config_id: preset.id } : ofKey;
    setVoices((await ask('POST /api/providers/{name}/voices', { name, ...whose })).voices);
  };
  const shown = (voices ?? []).filter((voice) =>
    `${voice.name} ${voice.description} ${voice.languages}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <div class="field">
      <Action run={list} name={t.listVoices} />
      {voices && (
        <>
          <Input label={t.findVoice} onValue={setWanted} type="search" />
          <Rows of={shown} class="scrolling">
            {({ id, name: title, description, languages, preview_url: preview }) => (
              <Row key={id} title={title} note={[description, ...languages].filter(Boolean).join(' · ')}>
                {preview?.startsWith('https:') && (
                  <Action run={() => new Audio(preview).play()} name="▶" label={`${t.preview}: ${title}`} />
                )}
                <Action run={(form) => fillIn(form, 'voice', id)} name={t.choose} />
              </Row>
            )}
          </Rows>
        </>
      )}
    </div>
  );
}
