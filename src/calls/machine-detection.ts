export const MACHINE_DETECTIONS = ['off', 'detect', 'wait_for_beep', 'hang_up'] as const;
/** What to do about machines that answer a call: nothing, tell, speak after the beep only, or hang up. */
export type MachineDetection = (typeof MACHINE_DETECTIONS)[number];
