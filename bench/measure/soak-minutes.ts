/** Minutes of load whose growth is measured: `--soak=10`. */
export const soakMinutes = (preset: number): number =>
  Number(process.argv.find((argument) => argument.startsWith('--soak='))?.slice(7) ?? preset)
