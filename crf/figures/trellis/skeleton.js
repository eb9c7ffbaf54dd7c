// The elements of the figure; words are put where their names stand.

export const SKELETON = `
<div class="stepper" role="group" data-figure="trellis">
  <div class="bar" data-export="no">
    <div class="buttons">
      <button type="button" data-do="previous" data-label="previous" data-title="previous_title">
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M11 3v10L4 8z" /></svg>
      </button>
      <button type="button" data-do="play" class="play" data-label="play" data-title="play_title">
        <svg viewBox="0 0 16 16" aria-hidden="true"><path class="go" d="M4 2.5v11L13.5 8z" /><path class="halt" d="M4 3h3v10H4zM9 3h3v10H9z" /></svg>
      </button>
      <button type="button" data-do="next" data-label="next" data-title="next_title">
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5 3v10l7-5z" /></svg>
      </button>
    </div>
    <div class="track">
      <input class="scrub" type="range" min="0" step="1" data-label="step" />
      <div class="ticks"></div>
    </div>
    <output class="count"></output>
    <button type="button" class="plain surprise" data-do="surprise" data-title="surprise_title" data-word="surprise" hidden></button>
    <details class="more">
      <summary class="plain" data-word="more"></summary>
      <div class="menu">
        <label><span data-word="play"></span> <select class="speed">
          <option value="2" data-word="slowly"></option>
          <option value="1" data-word="reading" selected></option>
          <option value="0.35" data-word="fast"></option>
        </select></label>
        <button type="button" class="plain toggle" data-do="stopAtSurprises" aria-pressed="true" data-title="stop_at_surprises_title" data-word="stop_at_surprises"></button>
        <div class="save" role="group" data-label="save"></div>
      </div>
    </details>
  </div>
  <div class="say" data-export="no"><p class="ghost" aria-hidden="true"></p>
  <p class="now" data-export="description" role="status" aria-live="polite"></p></div>
  <div class="body">
    <div class="figure">
      <div class="scroll" tabindex="0" role="group"></div>
    </div>
    <div class="panel" data-export="no">
      <div class="told">
        <div class="equation"><div class="ghost" aria-hidden="true"></div><div class="now"></div></div>
        <div class="step">
          <div class="termwrap"><table class="terms"><thead></thead><tbody></tbody><tfoot></tfoot></table></div>
        </div>
      </div>
      <div class="editor" role="group" data-label="tables" hidden>
        <section class="arrivals">
          <p class="title"><span data-word="transitions"></span> <small data-word="transitions_about"></small> <button type="button" class="plain swap" data-swap="emissions" data-word="emissions"></button></p>
          <p class="steps" hidden><label><span data-word="step"></span> <select></select></label></p>
          <div class="scroller"><table class="transitions" role="grid" data-label="transitions_label"><thead></thead><tbody></tbody></table>
          </div>
        </section>
        <section class="own">
          <p class="title"><span data-word="emissions"></span> <small data-word="emissions_keys"></small> <button type="button" class="plain swap" data-swap="transitions" data-word="to_transitions"></button></p>
          <div class="scroller"><table class="emissions" role="grid" data-label="emissions_label"><thead></thead><tbody></tbody></table>
          </div>
          <p class="rename"><button type="button" class="plain toggle naming" aria-pressed="false" data-word="rename"></button>
            <span class="adds" hidden><button type="button" class="plain" data-add="tag" data-word="add_tag"></button> <button type="button" class="plain" data-add="token" data-word="add_token"></button></span></p>
        </section>
        <p id="refused" role="alert"></p>
      </div>
    </div>
  </div>
  <div class="legend"></div>
  <details class="behind" data-export="no">
    <summary data-word="values"></summary>
    <p class="about" id="values-about"></p>
    <div class="tablewrap" tabindex="0" role="group" data-label="values_label"><table aria-labelledby="values-about"><thead></thead><tbody></tbody></table>
    </div>
  </details>
</div>`;
