// Runs in a page of devtools://, which can import Chrome's own trace engine. The hub calls these functions by name.
async () => {
  const part = path => import('devtools://devtools/bundled/' + path);
  const [trace, i18n, ai] = await Promise.all([
    part('models/trace/trace.js'), part('core/i18n/i18n.js'), part('models/ai_assistance/ai_assistance.js').catch(() => null),
  ]);
  // The engine's texts are English anyway, but it requires a locale.
  i18n.DevToolsLocale.DevToolsLocale.instance({
    create: true, data: {navigatorLanguage: 'en-US', settingLanguage: 'en-US', lookupClosestDevToolsLocale: l => l},
  });
  i18n.i18n.registerLocaleDataForTest('en-US', {});
  // Checks the functions that are used below, so that an engine with another interface fails here and not later.
  for (const f of [trace.TraceModel.Model.createWithAllHandlers, trace.Insights.Common.getLCP, trace.Insights.Common.getCLS, trace.Insights.Common.getINP]) {
    if (typeof f !== 'function') throw new Error('its interface is another one');
  }

  const traces = new Map();   // id -> parsed trace
  const arriving = new Map(); // id -> chunks of gzip

  const ms = micros => micros === undefined || micros === null ? undefined : micros / 1000;
  const byName = object => Object.entries(object ?? {});

  function describe([id, set], parsed) {
    const scores = parsed.data.PageLoadMetrics.metricScoresByFrameId.get(set.frameId)?.get(set.navigation);
    const lcp = trace.Insights.Common.getLCP(set), cls = trace.Insights.Common.getCLS(set), inp = trace.Insights.Common.getINP(set);
    return {
      id, from: set.bounds.min, url: set.url.href,
      fcp: ms(scores?.get('FCP')?.timing), lcp: ms(lcp?.value), inp: ms(inp?.value), cls: cls?.value ?? 0,
      parts: Object.fromEntries(byName(set.model.LCPBreakdown?.subparts).map(([name, p]) => [name, ms(p.range)])),
      insights: byName(set.model).map(([name, i]) => ({name, state: i.state, savings: i.metricSavings, wastedBytes: Math.round(i.wastedBytes ?? 0)})),
    };
  }

  globalThis.hub = {
    chunk(id, base64) {
      const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
      if (!arriving.has(id)) arriving.set(id, []);
      arriving.get(id).push(bytes);
    },
    async parse(id) {
      const chunks = arriving.get(id) ?? [];
      arriving.delete(id);
      const json = await new Response(new Blob(chunks).stream().pipeThrough(new DecompressionStream('gzip'))).json();
      const model = trace.TraceModel.Model.createWithAllHandlers();
      await model.parse(Array.isArray(json) ? json : json.traceEvents, {metadata: json.metadata});
      const parsed = model.parsedTrace();
      if (!parsed?.insights) throw new Error('the engine made nothing of it');
      traces.set(id, parsed);
      return {sets: [...parsed.insights].map(entry => describe(entry, parsed))};
    },
    insight(id, set, name) {
      const parsed = traces.get(id);
      const model = parsed?.insights.get(set)?.model[name];
      if (!model) return null;
      const focus = ai?.AIContext?.AgentFocus?.fromParsedTrace(parsed);
      const Formatter = ai?.PerformanceInsightFormatter?.PerformanceInsightFormatter;
      if (!focus || !Formatter) return null;
      return new Formatter(focus, model).formatInsight();
    },
    drop(id) {
      traces.delete(id);
      arriving.delete(id);
    },
  };
  return navigator.userAgent.match(/Chrome\/([\d.]+)/)?.[1] ?? '';
}
