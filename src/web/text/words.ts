/** What a query looks for: texts that contain all of these, in any part. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean)
}
