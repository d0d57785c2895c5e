import type { IonError } from '../../src/platform/error.ts'

/** What a user sees of the error with which it ends; fails if it does not end with one. */
export async function failure(work: Promise<unknown>): Promise<Pick<IonError, 'kind' | 'message' | 'hint'>> {
  try {
    await work
  } catch (error) {
    const { kind, message, hint } = error as IonError
    return { kind, message, hint }
  }
  throw new Error('it did not fail')
}
