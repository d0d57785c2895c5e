import hljs from 'highlight.js/lib/common'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import elixir from 'highlight.js/lib/languages/elixir'
import nginx from 'highlight.js/lib/languages/nginx'
import nix from 'highlight.js/lib/languages/nix'
import protobuf from 'highlight.js/lib/languages/protobuf'
import scala from 'highlight.js/lib/languages/scala'

/** Languages that are not among the library's common ones. */
for (const [name, language] of Object.entries({ dockerfile, elixir, nginx, nix, protobuf, scala }))
  hljs.registerLanguage(name, language)

// By `shell` models mean a script; the library's language of that name is a recorded session.
hljs.unregisterLanguage('shell')
hljs.registerAliases(['console', 'shell'], { languageName: 'bash' })
hljs.registerAliases(['hcl', 'tf'], { languageName: 'ini' })
hljs.registerAliases(['jsonl'], { languageName: 'json' })
hljs.registerAliases(['vue'], { languageName: 'xml' })

/** The code as highlighted HTML; undefined if the language is unknown. */
export function highlight(code: string, language: string): string | undefined {
  return hljs.getLanguage(language) && hljs.highlight(code, { language, ignoreIllegals: true }).value
}
