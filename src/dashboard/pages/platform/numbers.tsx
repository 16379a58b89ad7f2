import type { Answers } from '../../api/answers.ts';
import type { Preset } from '../../api/items.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { fill, held, useDraft, valuesOf } from '../../parts/draft.ts';
import { Check, Choice, Field, Form } from '../../parts/form.tsx';
import { LoadedRows } from '../../parts/rows.tsx';
import { attempt } from '../../parts/toasts.tsx';
import { texts } from '../../texts.ts';

type Did = Answers['GET /api/sip/dids']['dids'][number];

const t = texts.numbers;

/** The phone numbers that ring agents. */
export function Numbers({ onChange }: { onChange(): void }) {
  const dids = useAnswer('GET /api/sip/dids');
  const presets = useAnswer('GET /api/voice-configs');
  const draft = useDraft({ number: '', label: '', auto_answer: false });
  const changed = (): void => {
    dids.reload();
    onChange();
  };
  const submit = async (): Promise<void> => {
    const { label, ...same } = valuesOf(draft);
    await ask('POST /api/sip/dids', { body: { ...same, label: label || null } });
    fill(draft, { number: '', label: '' });
    changed();
  };
  return (
    <Card title={t.title}>
      <LoadedRows answer={dids} of={(data) => data.dids} none={t.none}>
        {(did) => (
          <PhoneNumber
            key={did.did_id}
            did={did}
            presets={presets.data?.voice_configs ?? []}
            onChange={changed}
          />
        )}
      </LoadedRows>
      <h3>{t.add}</h3>
      <Form submit={submit} action={t.add}>
        <div class="grid">
          <Field
            label={t.number}
            hint={t.numberHint}
            of={draft.number}
            required
            type="tel"
            autocomplete="off"
          />
          <Field label={t.label} of={draft.label} maxLength={80} autocomplete="off" />
        </div>
        <Check label={t.autoAnswer} hint={t.autoAnswerHint} of={draft.auto_answer} />
      </Form>
    </Card>
  );
}

interface PhoneNumberProps {
  readonly did: Did;
  readonly presets: readonly Preset[];
  onChange(): void;
}

function PhoneNumber({ did, presets, onChange }: PhoneNumberProps) {
  const params = { did_id: did.did_id };
  const change = (body: object): void => {
    void attempt(() => ask('PATCH /api/sip/dids/{did_id}', { params, body }), texts.saved).then(onChange);
  };
  const remove = async (): Promise<void> => {
    await ask('DELETE /api/sip/dids/{did_id}', { params });
    onChange();
  };
  const choices = (kind: string) =>
    [
      ['', t.enabledPreset],
      ...presets.filter((each) => each.kind === kind).map(({ id, name }) => [id, name] as const),
    ] as const;
  return (
    <li>
      <div class="row spread">
        <span class="grow">
          <strong class="digits">{did.number}</strong> <span class="quiet small">{did.label}</span>
        </span>
        <Confirm class="quietly" action={texts.remove} question={t.removeQuestion(did.number)} run={remove} />
      </div>
      <Check label={t.autoAnswer} of={held(did.auto_answer, (auto_answer) => change({ auto_answer }))} />
      <div class="grid">
        <Choice
          label={texts.voice.kinds.stt}
          of={held(did.stt_voice_config_id ?? '', (id) => change({ stt_voice_config_id: id || null }))}
          options={choices('stt')}
        />
        <Choice
          label={texts.voice.kinds.tts}
          of={held(did.tts_voice_config_id ?? '', (id) => change({ tts_voice_config_id: id || null }))}
          options={choices('tts')}
        />
      </div>
    </li>
  );
}
