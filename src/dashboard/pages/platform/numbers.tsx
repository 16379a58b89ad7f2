import type { Answers, Preset } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { attempt, Confirm } from '../../parts/action.tsx';
import { fill, held, useDraft, valuesOf } from '../../parts/draft.ts';
import { Check, Choice, Field, Form } from '../../parts/form.tsx';
import { Card, LoadedRows } from '../../parts/layout.tsx';
import { texts } from '../../texts.ts';

type Did = Answers['GET /api/sip/dids']['dids'][number];

const t = texts.numbers;

/** The phone numbers that ring agents. */
export function Numbers() {
  const dids = useAnswer('GET /api/sip/dids');
  const presets = useAnswer('GET /api/voice-configs');
  const draft = useDraft({ number: '', label: '', auto_answer: false });
  const submit = async (): Promise<void> => {
    const { label, ...same } = valuesOf(draft);
    await ask('POST /api/sip/dids', { body: { ...same, label: label || null } });
    fill(draft, { number: '', label: '' });
  };
  return (
    <Card title={t.title}>
      <LoadedRows answer={dids} of={(data) => data.dids} none={t.none}>
        {(did) => <PhoneNumber key={did.did_id} did={did} presets={presets.data?.voice_configs ?? []} />}
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

function PhoneNumber({ did, presets }: { readonly did: Did; readonly presets: readonly Preset[] }) {
  const params = { did_id: did.did_id };
  const change = (body: object): void => {
    void attempt(() => ask('PATCH /api/sip/dids/{did_id}', { params, body }), texts.saved);
  };
  const remove = () => ask('DELETE /api/sip/dids/{did_id}', { params });
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
