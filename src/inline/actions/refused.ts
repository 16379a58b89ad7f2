/** An action is not allowed. The message says why, for the log and for the model. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
