import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import type { Preset } from '../../api/items.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/dialog.tsx';
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
  const [number, setNumber] = useState('');
  const [label, setLabel] = useState('');
  const [autoAnswer, setAutoAnswer] = useState(false);
  const changed = (): void => {
    dids.reload();
    onChange();
  };
  const submit = async (): Promise<void> => {
    await ask('POST /api/sip/dids', { body: { number, label: label || null, auto_answer: autoAnswer } });
    setNumber('');
    setLabel('');
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
            value={number}
            onValue={setNumber}
            required
            type="tel"
            autocomplete="off"
          />
          <Field label={t.label} value={label} onValue={setLabel} maxLength={80} autocomplete="off" />
        </div>
        <Check label={t.autoAnswer} hint={t.autoAnswerHint} checked={autoAnswer} onChecked={setAutoAnswer} />
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
      <Check
        label={t.autoAnswer}
        checked={did.auto_answer}
        onChecked={(auto_answer) => change({ auto_answer })}
      />
      <div class="grid">
        <Choice
          label={texts.voice.kinds.stt}
          value={did.stt_voice_config_id ?? ''}
          options={choices('stt')}
          onValue={(id) => change({ stt_voice_config_id: id || null })}
        />
        <Choice
          label={texts.voice.kinds.tts}
          value={did.tts_voice_config_id ?? ''}
          options={choices('tts')}
          onValue={(id) => change({ tts_voice_config_id: id || null })}
        />
      </div>
    </li>
  );
}
