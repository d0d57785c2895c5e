import type { Proof, ProvenAgent } from './proof.ts'
/** docs/compatibility.md, from the proof. */
export function compatibilityPage(proof: Proof): string {
  const scenarios = [...new Set(proof.agents.flatMap((one) => Object.keys(one.scenarios)))]
  const failures = proof.agents.flatMap(({ agent, version, scenarios }) =>
    Object.entries(scenarios).flatMap(([scenario, { ok, why }]) =>
      ok ? [] : [`- ${agent} ${version}, ${scenario}: ${why}`],
    ),
  )
  return `# Compatibility, as measured

Written by \`npm run prove\`, which installs the real agents, runs them under Ion against a stub model on loopback, and
checks what the stub received and what the agents stored. Nothing here is written by hand; the data is
[proof.json](proof.json).${proof.isolated ? ' The agents had no network except loopback.' : ' The agents were NOT cut off from the network.'}

**full**: every scenario passes, not counting the one under agentapi, which reads the agents' screens. **partial**: the session is
resumed and the prompt is sent once, with the failures listed below. **unproven**: Ion reads and starts it; resuming could not be measured.

**given**: no registry has the program; somebody built or installed it and gave it to the proof (\`--with\`). Without that it is skipped.

| agent | version | level | scenarios | sessions are in | a session of four turns | date |
| --- | --- | --- | --- | --- | --- | --- |
${proof.agents.map(agentRow).join('\n')}
${proof.unavailable.map(({ agent }) => `| ${agent} | - | unproven | not run | - | - | - |`).join('\n')}

## Scenarios

| scenario | ${proof.agents.map(({ agent, version }) => `${agent} ${shortVersion(version)}`).join(' | ')} |
| --- | ${proof.agents.map(() => '---').join(' | ')} |
${scenarios.map((scenario) => scenarioRow(scenario, proof)).join('\n')}

\`-\`: does not apply to this agent, or was not run. S3: the store was a bucket of a real S3 server on loopback
(versitygw); folder: that server was not installed, and the store was a folder.

## Failures

${failures.join('\n') || 'Nothing.'}

## Not run

${proof.unavailable.map(({ agent, why }) => `- ${agent}: ${why}`).join('\n') || 'Nothing.'}
`
}

function agentRow({ agent, version, level, storage, date, given, scenarios }: ProvenAgent) {
  const all = Object.values(scenarios)
  const held = all.filter(({ ok }) => ok).length
  return `| ${agent} | ${version}${given ? ' (given)' : ''} | ${level} | ${held} of ${all.length} | ${storage?.paths.map((path) => `\`${path}\``).join(', ') ?? '-'} | ${storage ? `${Math.ceil(storage.bytes / 1000)} KB` : '-'} | ${date} |`
}

function scenarioRow(scenario: string, { agents }: Proof) {
  const cells = agents.map(({ scenarios }) => {
    const outcome = scenarios[scenario]
    if (outcome === undefined) return '-'
    const { ok, note } = outcome
    return `${ok ? 'yes' : '**no**'}${note === undefined ? '' : `, ${note}`}`
  })
  return `| ${scenario} | ${cells.join(' | ')} |`
}

/** Some are longer than a column. */
function shortVersion(version: string) {
  return version.length > 12 ? `${version.slice(0, 9)}…` : version
}
