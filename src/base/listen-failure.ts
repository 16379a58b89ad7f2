/** A port to listen on, and the names of its settings. */
export interface ListenPlace {
  readonly host: string;
  readonly port: number;
  readonly hostSetting: string;
  readonly portSetting: string;
}

/** Returns why nothing can listen there, in words that say what to change. An error of another kind stays as it is. */
export function listenFailure(error: unknown, place: ListenPlace): unknown {
  const { host, port, hostSetting, portSetting } = place;
  const options = { cause: error };
  switch ((error as { code?: unknown }).code) {
    case 'EADDRINUSE':
      return new Error(
        `Port ${port} of ${host} is in use: set ${portSetting} to another one, or stop the program that uses it`,
        options,
      );
    case 'EADDRNOTAVAIL':
      return new Error(
        `${host} is not an address of this machine: set ${hostSetting} to one that is`,
        options,
      );
    case 'EACCES':
      return new Error(
        `The gateway may not listen on port ${port}: set ${portSetting} to one above 1023`,
        options,
      );
    default:
      return error;
  }
}
