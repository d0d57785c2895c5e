import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Violations on the current page that axe-core calls serious or critical: rule and element, one line each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Not with a script tag, which the page's policy forbids.
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`))
}
