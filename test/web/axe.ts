import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe-core calls serious or critical on the page as it is now: rule and place, one line each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Not by a script tag, which the policy of the page would refuse.
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`))
}
