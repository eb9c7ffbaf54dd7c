/* log Z, -log p(tags), expected counts and best paths of a batch of linear chains.

   Eight chains go together, one to a lane of a vector of eight doubles, so that a step of a
   recursion multiplies eight columns with one matrix. The sums are those of the forward-backward
   algorithm in scaled probability space (Rabiner 1989, section V.A):

       a_1(j) = start(j) e_1(j) / c_1          a_t(j) = e_t(j) sum_i a_(t-1)(i) A(i, j) / c_t
       b_m(j) = end(j) / sum_j a_m(j) end(j)   b_(t-1)(i) = sum_j A(i, j) e_t(j) b_t(j) / c_t

   with A, e, start, end the exponentials of the scores less their maximum, which is added to log Z,
   and c_t such that a column adds up to 1. Then p(y_t = j) = a_t(j) b_t(j) and
   p(y_(t-1) = i, y_t = j) = a_(t-1)(i) A(i, j) u_t(j), where u_t(j) = e_t(j) b_t(j) / c_t.

   No number but 0, which stands for "forbidden", may be smaller than SMALLEST: then the product of
   any three is a normal number. A chain that would break this is marked OUT_OF_RANGE.

   Groups of eight chains, the longest first, are dealt to BLOCKS blocks, each with sums of its own
   that are added up in order at the end: so threads, which share the blocks, change no bit. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#if defined(__clang__)
#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#elif defined(__GNUC__)
#define MIX(a, b, ...) __builtin_shuffle(a, b, (Whole){__VA_ARGS__})
#else
#error "needs the vector extensions of GCC or Clang; the plain code serves without this file"
#endif
#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
enum { LANES = 8 };
#elif defined(__AVX2__)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
enum { BLOCKS = 16, CHUNK = 8, TILE = 4 };
enum { WIDE = 1, PER_TOKEN = 2, EACH = 4, GRADIENTS = 8, PACKED = 16 }; /* options of a call */
enum { BAD_SCORE = 1, BAD_TAG = 2, NO_PATH = 4, OUT_OF_RANGE = 8, FAILED = 16 }; /* what it reports */

#define SMALLEST 1e-100
#define LOWEST (-230.0) /* a little more than log(SMALLEST) */

typedef double Real __attribute__((vector_size(8 * LANES)));
typedef int64_t Whole __attribute__((vector_size(8 * LANES)));
typedef uint64_t Bits __attribute__((vector_size(8 * LANES)));
typedef float Single __attribute__((vector_size(4 * LANES)));

/* One question about B chains of L cells and S tags. Tables lie in row-major order; scores and
   gradients are doubles if WIDE, else floats. crf/kernels/__init__.py has the same fields. */
typedef struct {
    const void *emissions, *transitions, *start, *end; /* [B, L, S] with strides, [S, S], [S], [S] */
    const uint8_t *mask;                               /* [B, L], or NULL: all are tokens */
    const int64_t *tags;                               /* [B, L], or NULL: log Z is asked for */
    const double *weights;                             /* [B], or NULL: all 1 */
    double *values;                                    /* [B] log Z, or -log p(tags) */
    uint8_t *states;                                   /* [B] what is reported of each chain */
    void *d_emissions, *d_transitions, *d_start, *d_end; /* with GRADIENTS */
    void *total;                                       /* sum of scale * weights * values */
    double *sums;                                      /* [BLOCKS, S * S + 2 * S] scratch memory */
    void *paths;                                       /* [B, L] best paths, int64_t; or, PACKED, */
    int64_t *tokens;                                   /* uint8_t without gaps, and how many, [B] */
    void *scores;                                      /* [B] their scores */
    int64_t B, L, S, row, cell, options; /* row, cell: strides of the emissions, in numbers */
    double scale;
} Call;

/* ---------------------------------------------------------------- vectors of eight doubles */

INLINE Real all(double x) { return x - (Real){0}; }
INLINE Real either(Whole which, Real a, Real b) {
    return (Real)(((Whole)a & which) | ((Whole)b & ~which));
}
INLINE Real only(Whole which, Real a) { return (Real)((Whole)a & which); }
INLINE int any(Whole which) {
    int64_t found = 0;
    for (int k = 0; k < LANES; k++) found |= which[k];
    return found != 0;
}
INLINE double add_up(Real x) {
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) x[k] += x[k + half];
    return x[0];
}

/* The larger of two, lane by lane: so written, compilers find the instruction for it. */
INLINE Real larger(Real a, Real b) {
    for (int k = 0; k < LANES; k++) b[k] = a[k] > b[k] ? a[k] : b[k];
    return b;
}

INLINE Real smaller(Real a, Real b) {
    for (int k = 0; k < LANES; k++) b[k] = a[k] < b[k] ? a[k] : b[k];
    return b;
}

/* exp(x) for x <= 0; 0 below -700. The series of |r| <= log(2) / 2 ends with r^12 / 12!. */
INLINE Real exponential(Real x) {
    const double shift = 0x1.8p52;
    Real n = x * 1.4426950408889634 + shift;
    Bits power = (Bits)n - (Bits)all(shift);
    n -= shift;
    Real r = x - n * 6.93147180369123816490e-01 - n * 1.90821492927058770002e-10;
    Real p = all(1.0 / 479001600);
    p = p * r + 1.0 / 39916800, p = p * r + 1.0 / 3628800, p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320, p = p * r + 1.0 / 5040, p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120, p = p * r + 1.0 / 24, p = p * r + 1.0 / 6;
    p = p * r + 0.5, p = p * r + 1.0, p = p * r + 1.0;
    return only(x > -700.0, (Real)((Bits)p + (power << 52)));
}

/* LANES rows of as many numbers: rows become columns. */
INLINE void transpose(Real r[LANES]) {
#if defined(__AVX512F__)
    Real a[8], b[8];
    for (int k = 0; k < 8; k += 2) {
        a[k] = MIX(r[k], r[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[k + 1] = MIX(r[k], r[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int n = 0, k; n < 4; n++) {
        k = n + n / 2 * 2;
        b[k] = MIX(a[k], a[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        b[k + 2] = MIX(a[k], a[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int k = 0; k < 4; k++) {
        r[k] = MIX(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[k + 4] = MIX(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#elif defined(__AVX2__)
    Real a = MIX(r[0], r[1], 0, 4, 2, 6), b = MIX(r[0], r[1], 1, 5, 3, 7);
    Real c = MIX(r[2], r[3], 0, 4, 2, 6), d = MIX(r[2], r[3], 1, 5, 3, 7);
    r[0] = MIX(a, c, 0, 1, 4, 5), r[1] = MIX(b, d, 0, 1, 4, 5);
    r[2] = MIX(a, c, 2, 3, 6, 7), r[3] = MIX(b, d, 2, 3, 6, 7);
#else
    Real a = MIX(r[0], r[1], 0, 2);
    r[1] = MIX(r[0], r[1], 1, 3), r[0] = a;
#endif
}

INLINE double one(const void *from, int64_t k, int wide) {
    return wide ? ((const double *)from)[k] : (double)((const float *)from)[k];
}
INLINE void put(void *to, int64_t k, double x, int wide) {
    if (wide) ((double *)to)[k] = x;
    else ((float *)to)[k] = (float)x;
}
INLINE Real some(const void *from, int64_t k, int wide) {
    Real x;
    Single y;
    if (wide) return memcpy(&x, (const double *)from + k, sizeof x), x;
    return memcpy(&y, (const float *)from + k, sizeof y), __builtin_convertvector(y, Real);
}

/* ---------------------------------------------------------------- chains in lanes */

/* The scores of a call as doubles, and its chains in order. */
typedef struct {
    double *matrix, *turned, *start, *end; /* [S, S], its transpose, [S], [S] */
    double added[3];                       /* what was taken from transitions, start, end */
    int64_t *order, *lengths, tokens;
    int state;                             /* BAD_SCORE, OUT_OF_RANGE: of every chain */
} Tables;

/* Eight chains: lane l has chain rows[l] with lengths[l] tokens, at cells[l * L + k]. */
typedef struct {
    int64_t rows[LANES], most, S, L;
    int chains;
    int32_t *cells;
    Whole lengths, bad, low; /* lanes with nan or infinity, lanes out of range */
    int tag[LANES];          /* whether a tag is out of range */
} Group;

INLINE double highest(const double *x, int64_t n) {
    double top = -INFINITY;
    for (int64_t k = 0; k < n; k++) top = x[k] > top ? x[k] : top;
    return top > -INFINITY ? top : 0.0;
}

/* Exponentials of n scores less their maximum, which is returned; what is wrong goes to state. */
INLINE double exponentials(double *x, int64_t n, int *state) {
    double top = highest(x, n), rest[LANES];
    for (int64_t k = 0; k < n; k += LANES) {
        int64_t m = n - k < LANES ? n - k : LANES;
        Real y = {0};
        memcpy(&y, x + k, m * sizeof(double));
        y -= top;
        Real z = exponential(y);
        memcpy(rest, &y, sizeof y);
        for (int64_t l = 0; l < m; l++)
            if (rest[l] < LOWEST && rest[l] > -INFINITY) *state |= OUT_OF_RANGE;
        memcpy(x + k, &z, m * sizeof(double));
    }
    return top;
}

/* Copy the scores, look for nan and infinity, and put the chains in order, the longest first. */
INLINE void prepare(const Call *call, Tables *t, int scaled) {
    int64_t B = call->B, L = call->L, S = call->S;
    int wide = call->options & WIDE, steps = 0;
    double *of[3] = {t->matrix, t->start, t->end};
    const void *from[3] = {call->transitions, call->start, call->end};
    int64_t sizes[3] = {S * S, S, S};
    t->state = 0;
    for (int x = 0; x < 3; x++) {
        int ok = 1;
        for (int64_t k = 0; k < sizes[x]; k++) {
            of[x][k] = one(from[x], k, wide);
            ok &= of[x][k] < INFINITY;
        }
        if (!ok) t->state |= BAD_SCORE;
        t->added[x] = ok && scaled ? exponentials(of[x], sizes[x], x ? &t->state : &steps) : 0.0;
    }
    for (int64_t i = 0; i < S; i++)
        for (int64_t j = 0; j < S; j++) t->turned[j * S + i] = t->matrix[i * S + j];
    int64_t *counts = t->lengths + B;
    memset(counts, 0, (L + 2) * sizeof *counts);
    t->tokens = 0;
    for (int64_t b = 0; b < B; b++) {
        int64_t m = call->mask ? 0 : L;
        for (int64_t k = 0; call->mask && k < L; k++) m += call->mask[b * L + k] != 0;
        t->lengths[b] = m;
        t->tokens += m;
        counts[L - m + 1]++;
    }
    for (int64_t m = 0; m <= L; m++) counts[m + 1] += counts[m];
    for (int64_t b = 0; b < B; b++) t->order[counts[L - t->lengths[b]]++] = b;
    if (L > 1) t->state |= steps; /* even a chain of one token is done again: it is rare */
}

/* The chains of one group; lanes without a chain have length 0 and repeat the first one's cells. */
INLINE void gather(const Call *call, const Tables *t, int64_t group, Group *g) {
    int64_t first = group * LANES;
    g->most = t->lengths[t->order[first]], g->S = call->S, g->L = call->L;
    g->chains = call->B - first < LANES ? (int)(call->B - first) : LANES;
    g->bad = g->low = (Whole){0};
    for (int l = 0; l < LANES; l++) {
        int there = l < g->chains;
        int64_t row = t->order[there ? first + l : first], m = 0;
        int32_t *cells = g->cells + l * g->L;
        for (int64_t k = 0; k < g->L; k++)
            if (!call->mask || call->mask[row * g->L + k]) cells[m++] = (int32_t)k;
        memset(cells + m, 0, (g->most > m ? g->most - m : 0) * sizeof *cells);
        g->rows[l] = row, g->lengths[l] = there ? m : 0, g->tag[l] = 0;
    }
}

/* The emissions of token k of each chain into a column [S], and their maximum. */
INLINE Real emissions_of(const Call *call, Group *g, int64_t k, Real *column) {
    int64_t at[LANES], S = g->S, s = 0;
    int wide = call->options & WIDE;
    for (int l = 0; l < LANES; l++)
    {
        at[l] = g->rows[l] * call->row + g->cells[l * g->L + k] * call->cell;
        const char *soon = (const char *)call->emissions + (at[l] + 8 * call->cell) * (wide ? 8 : 4);
        __builtin_prefetch(soon);
        __builtin_prefetch(soon + 64);
    }
    for (; s + LANES <= S; s += LANES) {
        for (int l = 0; l < LANES; l++) column[s + l] = some(call->emissions, at[l] + s, wide);
        transpose(column + s);
    }
    for (; s < S; s++)
        for (int l = 0; l < LANES; l++) column[s][l] = one(call->emissions, at[l] + s, wide);
    Real top = all(-INFINITY);
    Whole fine = ~(Whole){0};
    for (s = 0; s < S; s++) fine &= column[s] < INFINITY, top = larger(top, column[s]);
    g->bad |= ~fine & (k < g->lengths);
    return either(top > -INFINITY, top, all(0.0));
}

INLINE int allowed(const Call *call, const Group *g, int l, int64_t k, int64_t tag) {
    int64_t at = g->rows[l] * call->row + g->cells[l * g->L + k] * call->cell + tag;
    return one(call->emissions, at, call->options & WIDE) > -INFINITY;
}

/* Some columns j of sum_i x(i) matrix(i, j), or of the maximum of x(i) + matrix(i, j). */
INLINE void columns(const Real *x, const double *matrix, Real *y, int64_t S, const int n, const int sums) {
    Real found[6];
    for (int j = 0; j < n; j++) found[j] = sums ? all(0.0) : all(-INFINITY);
    for (int64_t i = 0; i < S; i++, matrix += S)
        for (int j = 0; j < n; j++)
            if (sums) found[j] += x[i] * matrix[j];
            else found[j] = larger(x[i] + matrix[j], found[j]);
    for (int j = 0; j < n; j++) y[j] = found[j];
}
INLINE void step(const Real *x, const double *matrix, Real *y, int64_t S, const int sums) {
    int64_t j = 0, tiles = (S + 5) / 6;
    for (; tiles; tiles--) {
        int64_t n = (S - j + tiles - 1) / tiles;
        switch (n) {
            case 1: columns(x, matrix + j, y + j, S, 1, sums); break;
            case 2: columns(x, matrix + j, y + j, S, 2, sums); break;
            case 3: columns(x, matrix + j, y + j, S, 3, sums); break;
            case 4: columns(x, matrix + j, y + j, S, 4, sums); break;
            case 5: columns(x, matrix + j, y + j, S, 5, sums); break;
            default: columns(x, matrix + j, y + j, S, 6, sums);
        }
        j += n;
    }
}

/* ---------------------------------------------------------------- log Z and expected counts */

/* counts(i, j) += sum over some tokens of a(i) u(j), both [tokens, S]: rows x columns of them. */
INLINE void tile(const Real *a, const Real *u, Real *counts, int64_t tokens, int64_t S,
                 const int rows, const int columns) {
    Real found[TILE][TILE];
    for (int p = 0; p < rows; p++)
        for (int q = 0; q < columns; q++) found[p][q] = counts[p * S + q];
    for (int64_t k = 0; k < tokens; k++, a += S, u += S)
        for (int p = 0; p < rows; p++)
            for (int q = 0; q < columns; q++) found[p][q] += a[p] * u[q];
    for (int p = 0; p < rows; p++)
        for (int q = 0; q < columns; q++) counts[p * S + q] = found[p][q];
}
INLINE void add_pairs(const Real *a, const Real *u, Real *counts, int64_t tokens, int64_t S) {
    int64_t tiles = (S + TILE - 1) / TILE, p, q;
    for (int64_t i = 0, x = tiles; x; x--, i += p) {
        p = (S - i + x - 1) / x;
        for (int64_t j = 0, y = tiles; y; y--, j += q) {
            q = (S - j + y - 1) / y;
            Real *to = counts + i * S + j;
#define CASE(rows, columns) \
    case TILE * rows + columns: tile(a + i, u + j, to, tokens, S, rows, columns); break;
            switch (TILE * p + q) {
                CASE(4, 4) CASE(4, 3) CASE(3, 4) CASE(3, 3) CASE(3, 2) CASE(2, 3) CASE(2, 2)
                CASE(1, 1) /* tiles are as even as can be: there are no others */
            }
        }
    }
}

/* One token's gradients, a column [S] of eight chains, to their rows of d_emissions. */
INLINE void scatter(const Call *call, const Group *g, int64_t k, const Real *column) {
    int64_t S = g->S, s = 0;
    int wide = call->options & WIDE;
    for (; s + LANES <= S; s += LANES) {
        Real r[LANES];
        memcpy(r, column + s, sizeof r);
        transpose(r);
        for (int l = 0; l < LANES; l++) {
            if (k >= g->lengths[l]) continue;
            int64_t at = (g->rows[l] * g->L + g->cells[l * g->L + k]) * S + s;
            if (wide) memcpy((double *)call->d_emissions + at, r + l, sizeof r[l]);
            else {
                Single x = __builtin_convertvector(r[l], Single);
                memcpy((float *)call->d_emissions + at, &x, sizeof x);
            }
        }
    }
    for (int l = 0; l < LANES && s < S; l++) {
        if (k >= g->lengths[l]) continue;
        int64_t at = (g->rows[l] * g->L + g->cells[l * g->L + k]) * S;
        for (int64_t q = s; q < S; q++) put(call->d_emissions, at + q, column[q][l], wide);
    }
}

/* Chains with a number other than 0 that is too small, in a column of their a or of exp(scores). */
static Whole out_of_range(const Real *scores, const Real *column, Real top, Real scale, int64_t S) {
    Whole low = {0};
    for (int64_t s = 0; s < S; s++) {
        Real x = scores[s] - top;
        low |= (x < LOWEST) & (x > -INFINITY);
        low |= (column[s] < SMALLEST * scale) & (column[s] > 0.0);
    }
    return low;
}

/* What the group's chains are worth, and their gradients: those of shared scores go to sums. */
INLINE void sums_of(const Call *call, const Tables *t, Group *g, Real *work, double *sums) {
    int64_t S = g->S, L = g->L, K = g->most;
    int wide = call->options & WIDE;
    Real *a = work, *u = a + K * S, *beta = u + K * S, *column = beta + S, *scales = column + S + 8;
    Real *counts = scales + K + 1;
    Real logs = {0}, product = all(1.0), final = {0}, none = {0};
    Whole powers = {0};
    double gold[LANES] = {0}, weights[LANES] = {0};
    int64_t before[LANES] = {0};

    for (int64_t k = 0; k < K; k++) { /* forward */
        Whole inside = k < g->lengths;
        Real top = emissions_of(call, g, k, column), scale = none, *now = a + k * S;
        if (k) step(now - S, t->matrix, now, S, 1);
        for (int l = 0; l < LANES && call->tags; l++) {
            if (k >= g->lengths[l]) continue;
            int64_t tag = call->tags[g->rows[l] * L + g->cells[l * L + k]];
            if (tag < 0 || tag >= S) { g->tag[l] = 1, before[l] = 0; continue; }
            double arriving = k ? one(call->transitions, before[l] * S + tag, wide)
                                : one(call->start, tag, wide);
            gold[l] += (top[l] - column[tag][l]) + (t->added[k ? 0 : 1] - arriving);
            before[l] = tag;
            if (k + 1 == g->lengths[l]) gold[l] += t->added[2] - one(call->end, tag, wide);
        }
        Real least = all(1.0), lowest = none;
        for (int64_t s = 0; s < S; s++) {
            Real x = column[s] - top, e = only(inside, exponential(x));
            lowest = smaller(x, lowest);
            u[k * S + s] = e;
            Real value = k ? now[s] * e : t->start[s] * e;
            now[s] = value;
            scale += value;
            least = smaller(value, least);
        }
        if (any((lowest < LOWEST) | (least < SMALLEST * scale)))
            g->low |= out_of_range(column, now, top, scale, S) & inside;
        Real inverse = either(scale > 1e-300, 1.0 / scale, none);
        for (int64_t s = 0; s < S; s++) now[s] *= inverse;
        scales[k] = inverse;
        product *= either(inside, scale, all(1.0));
        powers += (((Whole)product >> 52) & 2047) - 1023;
        product = (Real)(((Whole)product & 0xfffffffffffff) | (Whole)all(1.0));
        logs += only(inside, top);
        Whole last = k + 1 == g->lengths;
        if (!any(last)) continue;
        Real end = none;
        for (int64_t s = 0; s < S; s++) end += now[s] * t->end[s];
        final = either(last, end, final);
    }

    Real factor = none; /* what a chain counts for, over its final sum */
    for (int l = 0; l < g->chains; l++) {
        int64_t row = g->rows[l], m = g->lengths[l];
        int state = m ? t->state | (g->bad[l] ? BAD_SCORE : 0) | (g->low[l] ? OUT_OF_RANGE : 0) : 0;
        double value = 0.0, weight = call->weights ? call->weights[row] : 1.0;
        weight *= call->scale / (call->options & PER_TOKEN && t->tokens > 1 ? t->tokens : 1);
        if (g->tag[l]) state |= BAD_TAG;
        int wrong = state & (BAD_SCORE | BAD_TAG);
        if (!state && m && !(final[l] > 0.0)) state = NO_PATH;
        if (wrong) value = NAN;
        else if (state == NO_PATH) value = call->tags ? INFINITY : -INFINITY;
        else if (m) {
            value = log(final[l]) + log(product[l]) + powers[l] * 0.69314718055994530942;
            value += call->tags ? gold[l]
                                : logs[l] + t->added[0] * (m - 1) + t->added[1] + t->added[2];
            if (call->tags && value < 0.0) value = 0.0;
        }
        call->values[row] = value;
        call->states[row] = (uint8_t)(value == INFINITY ? state | NO_PATH : state);
        if (weight == 0.0 || !m) continue;
        weights[l] = wrong ? NAN : state ? 0.0 : weight;
        factor[l] = state ? 0.0 : weight / final[l];
    }
    if (!(call->options & GRADIENTS)) return;

    Whole alive = factor != 0.0;
    double *d_start = sums + S * S, *d_end = d_start + S;
    memset(beta, 0, S * sizeof *beta);
    memset(counts, 0, S * S * sizeof *counts);
    for (int64_t k = K - 1; k >= 0; k--) { /* backward */
        Whole last = k + 1 == g->lengths;
        Real *now = a + k * S, *next = u + k * S;
        int ends = any(last);
        for (int64_t s = 0; s < S; s++) {
            if (ends) beta[s] = either(last, factor * t->end[s], beta[s]);
            column[s] = only(alive, now[s] * beta[s]);
            if (ends) d_end[s] += add_up(only(last, column[s]));
            if (!k) d_start[s] += add_up(column[s]);
            next[s] = next[s] * beta[s] * scales[k];
        }
        for (int l = 0; l < g->chains; l++) {
            double w = weights[l];
            if (k >= g->lengths[l] || w == 0.0) continue;
            for (int64_t s = 0; s < S && w != w; s++) column[s][l] = NAN;
            if (!call->tags || w != w) continue;
            int64_t tag = call->tags[g->rows[l] * L + g->cells[l * L + k]];
            if (allowed(call, g, l, k, tag)) column[tag][l] -= w;
            if (k) {
                int64_t from = call->tags[g->rows[l] * L + g->cells[l * L + k - 1]] * S;
                if (t->matrix[from + tag] > 0.0) sums[from + tag] -= w;
            } else if (t->start[tag] > 0.0) d_start[tag] -= w;
            if (k + 1 == g->lengths[l] && t->end[tag] > 0.0) d_end[tag] -= w;
        }
        scatter(call, g, k, column);
        if (!k) break;
        int64_t ready = (K - k) % CHUNK;
        if (!ready || k == 1) add_pairs(now - S, next, counts, ready ? ready : CHUNK, S);
        step(next, t->turned, beta, S, 1);
        for (int64_t s = 0; s < S; s++) beta[s] = only(now[s - S] > 0.0, beta[s]);
    }
    for (int64_t k = 0; k < S * S; k++) {
        Real x = only(alive, counts[k] * t->matrix[k]);
        if (!(call->options & EACH)) sums[k] += add_up(x);
        else
            for (int l = 0; l < g->chains; l++)
                ((double *)call->d_transitions)[g->rows[l] * S * S + k] =
                    weights[l] == weights[l] ? x[l] : NAN;
    }
    for (int l = 0; l < g->chains; l++) {
        for (int64_t k = 0; k < S * S + 2 * S && weights[l] != weights[l]; k++) sums[k] = NAN;
        for (int64_t k = 0; k < L && call->mask; k++)
            if (!call->mask[g->rows[l] * L + k])
                memset((char *)call->d_emissions + (g->rows[l] * L + k) * S * (wide ? 8 : 4), 0,
                       S * (wide ? 8 : 4));
    }
}

/* ---------------------------------------------------------------- best paths */

/* d_t(j) = e_t(j) + m_t(j), m_t(j) = max_i d_(t-1)(i) + T(i, j). No argmax is kept: on the way back
   it is the lowest i that gives m_t of the tag chosen after it. */
INLINE void paths_of(const Call *call, const Tables *t, Group *g, Real *work) {
    int64_t S = g->S, L = g->L, K = g->most, tags[LANES] = {0};
    Real *d = work, *m = d + K * S, *column = m + K * S, final = {0};
    for (int64_t k = 0; k < K; k++) {
        emissions_of(call, g, k, column);
        if (k) step(d + (k - 1) * S, t->matrix, m + k * S, S, 0);
        for (int64_t s = 0; s < S; s++)
            d[k * S + s] = (k ? m[k * S + s] : all(t->start[s])) + column[s];
        for (int l = 0; l < g->chains; l++) {
            if (k + 1 != g->lengths[l]) continue;
            double best = -INFINITY;
            for (int64_t s = 0; s < S; s++) {
                double score = d[k * S + s][l] + t->end[s];
                if (score > best) best = score, tags[l] = s;
            }
            final[l] = best;
        }
    }
    for (int l = 0; l < g->chains; l++) {
        int64_t row = g->rows[l], tag = tags[l], *path = (int64_t *)call->paths + row * L;
        uint8_t *packed = (uint8_t *)call->paths + row * L;
        int gaps = !(call->options & PACKED);
        int wrong = g->lengths[l] && (t->state || g->bad[l]);
        int found = !wrong && final[l] > -INFINITY;
        put(call->scores, row, wrong ? NAN : final[l], call->options & WIDE);
        call->states[row] = (uint8_t)(wrong ? BAD_SCORE : found ? 0 : NO_PATH);
        for (int64_t k = 0; k < L && gaps; k++) path[k] = -1;
        if (!gaps) call->tokens[row] = found ? g->lengths[l] : 0;
        for (int64_t k = g->lengths[l] - 1; k >= 0 && found; k--) {
            if (gaps) path[g->cells[l * L + k]] = tag;
            else packed[k] = (uint8_t)tag;
            if (!k) break;
            const double *into = t->turned + tag * S;
            double best = m[k * S + tag][l];
            for (tag = 0; tag < S - 1 && d[(k - 1) * S + tag][l] + into[tag] != best;) tag++;
        }
    }
}

/* ---------------------------------------------------------------- calls */

/* Memory that calls leave to the next one: fresh pages cost more than what is computed in them. */
static char *left[BLOCKS];
enum { MOST_LEFT = 64 << 20 };

static char *take(int64_t part, size_t bytes) {
    char *memory = __atomic_exchange_n(&left[part], NULL, __ATOMIC_ACQ_REL);
    if (memory && *(size_t *)memory >= bytes) return memory;
    free(memory);
    memory = malloc(bytes);
    if (memory) *(size_t *)memory = bytes;
    return memory;
}
static void leave(int64_t part, char *memory) {
    if (*(size_t *)memory <= MOST_LEFT)
        memory = __atomic_exchange_n(&left[part], memory, __ATOMIC_ACQ_REL);
    free(memory);
}

/* The groups of one thread: those of the blocks part, part + parts, … */
INLINE int answer(const Call *call, int64_t part, int64_t parts, const int sums) {
    int64_t B = call->B, L = call->L, S = call->S, groups = (B + LANES - 1) / LANES;
    size_t words = 2 * L * S + 3 * S + 16 + (sums ? L + 1 + S * S : 0);
    size_t bytes = words * sizeof(Real) + (2 * S * S + 2 * S + 2 * B + L + 2) * 8 + LANES * L * 4;
    char *memory = take(part, bytes + 128);
    if (!memory) return FAILED;
    Real *work = (Real *)(((uintptr_t)memory + 127) & ~(uintptr_t)63);
    Tables t = {.matrix = (double *)(work + words)};
    t.turned = t.matrix + S * S, t.start = t.turned + S * S, t.end = t.start + S;
    t.order = (int64_t *)(t.end + S), t.lengths = t.order + B;
    Group g = {.cells = (int32_t *)(t.lengths + B + L + 2)};
    prepare(call, &t, sums);
    for (int64_t block = part; block < BLOCKS && block < groups; block += parts) {
        double *own = call->sums + block * (S * S + 2 * S);
        if (sums && call->options & GRADIENTS) memset(own, 0, (S * S + 2 * S) * sizeof *own);
        for (int64_t group = block; group < groups; group += BLOCKS) {
            gather(call, &t, group, &g);
            if (sums) sums_of(call, &t, &g, work, own);
            else paths_of(call, &t, &g, work);
        }
    }
    leave(part, memory);
    return 0;
}

/* Bits of the widest vectors that the processor has. */
EXPORT int crf_width(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw"))
        return 512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 256;
#endif
    return 128;
}

/* Add up what all parts have found; what is reported of the chains, in one number. */
static int finish(const Call *call, int64_t sums) {
    int64_t B = call->B, S = call->S, n = S * S + 2 * S, blocks = (B + LANES - 1) / LANES;
    int wide = call->options & WIDE, states = 0;
    double total = 0.0, tokens = 0.0;
    for (int64_t b = 0; b < B; b++) states |= call->states[b];
    if (!sums) return states;
    for (int64_t k = 0; k < B * call->L && call->options & PER_TOKEN; k++)
        tokens += !call->mask || call->mask[k];
    for (int64_t b = 0; b < B; b++) {
        double weight = call->weights ? call->weights[b] : 1.0;
        if (weight != 0.0) total += weight * call->values[b];
    }
    if (call->total) put(call->total, 0, total * call->scale / (tokens > 1 ? tokens : 1), wide);
    if (!(call->options & GRADIENTS)) return states;
    for (int64_t k = call->options & EACH ? S * S : 0; k < n; k++) {
        double sum = 0.0;
        for (int64_t block = 0; block < blocks && block < BLOCKS; block++)
            sum += call->sums[block * n + k];
        if (k < S * S) put(call->d_transitions, k, sum, wide);
        else if (k < S * S + S) put(call->d_start, k - S * S, sum, wide);
        else put(call->d_end, k - S * S - S, sum, wide);
    }
    return states;
}

/* Answer for part of the chains: sums (log Z and gradients) or best paths. Once all parts are there,
   one more call, with part == parts, adds them up; a call for all of them does it itself. */
EXPORT int crf_answer(const Call *call, int64_t part, int64_t parts, int64_t sums) {
    int failed = 0;
    if (part < parts) failed = sums ? answer(call, part, parts, 1) : answer(call, part, parts, 0);
    return failed || (part < parts && parts > 1) ? failed : finish(call, sums);
}

/* Whether none of n numbers is nan or +infinity. */
INLINE int fine(const void *x, int64_t n, int wide) {
    int bad = 0;
    for (int64_t k = 0; k < n && wide; k++) bad |= !(((const double *)x)[k] < INFINITY);
    for (int64_t k = 0; k < n && !wide; k++) bad |= !(((const float *)x)[k] < INFINITY);
    return !bad;
}

/* Whether no score, those of masked cells included, is nan or +infinity. */
EXPORT int crf_look(const Call *call, int64_t unused, int64_t and, int64_t more) {
    int64_t B = call->B, L = call->L, S = call->S, wide = call->options & WIDE;
    int ok = fine(call->transitions, S * S, wide) & fine(call->start, S, wide) & fine(call->end, S, wide);
    (void)unused, (void)and, (void)more;
    if (call->cell == S && call->row == L * S) return ok & fine(call->emissions, B * L * S, wide);
    for (int64_t b = 0; b < B; b++)
        for (int64_t k = 0; k < L; k++)
            ok &= fine((const char *)call->emissions + (b * call->row + k * call->cell) * (wide ? 8 : 4),
                       S, wide);
    return ok;
}
