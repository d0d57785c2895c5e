/** The result of one step of `npm run check`: what is wrong, as text. Empty when all is well. */
export interface StepResult {
  readonly wrong?: string
}
