/** The folder in which global-setup.ts has built the program for this run. */
export function builtFolder(): string {
  const folder = process.env.ION_TEST_DIST
  if (!folder) throw new Error('the program was not built; start the tests with "npm test"')
  return folder
}
