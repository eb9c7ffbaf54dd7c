/* log Z, -log p(tags), expected counts and best paths of a batch of linear chains.

   As many chains as a vector has LANES go together, one to a lane, so that a step of a recursion
   multiplies their columns with one matrix. The sums are those of the forward-backward algorithm in
   scaled probability space (Rabiner 1989, section V.A):

       a_1(j) = start(j) e_1(j) / c_1          a_t(j) = e_t(j) sum_i a_(t-1)(i) A(i, j) / c_t
       b_m(j) = end(j) / sum_j a_m(j) end(j)   b_(t-1)(i) = sum_j A(i, j) e_t(j) b_t(j) / c_t

   with A, e, start, end the exponentials of the scores less their maximum, which is added to log Z,
   and c_t such that a column adds up to 1. Then p(y_t = j) = a_t(j) b_t(j) and
   p(y_(t-1) = i, y_t = j) = a_(t-1)(i) A(i, j) u_t(j), where u_t(j) = e_t(j) b_t(j) / c_t.

   A score more than 230 below its maximum counts as forbidden: its exponential is 0. The paths that
   use one are at most S^m of weight exp(the highest such score) each. Where that is less than
   NEGLIGIBLE of all other paths, the sums are exact to the last bit of a double without them. Where
   it is not, and where a sum other than 0 falls below SMALLEST of its column, the chain is marked
   OUT_OF_RANGE. So a product of any three numbers is a normal number.

   Groups of chains, the longest first, are dealt to BLOCKS blocks, each with sums of its own that
   are added up in order at the end. A thread that is free takes the next block: neither the number
   of threads nor their pace changes a bit. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#elif defined(__GNUC__)
#define MIX(a, b, ...) __builtin_shuffle(a, b, (Whole){__VA_ARGS__})
#else
#error "needs the vector extensions of GCC or Clang; the plain code serves without this file"
#endif
#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX2__)
#define LANES 4
#else
#define LANES 2
#endif
enum { BLOCKS = 16, CHUNK = 8, MOST_LEFT = 64 << 20 };
enum { BAD_SCORE = 1, BAD_TAG = 2, NO_PATH = 4, OUT_OF_RANGE = 8, FAILED = 16 }; /* of a chain */

#define SMALLEST 1e-100
#define LOWEST (-230.0) /* a little more than log(SMALLEST) */
#define NEGLIGIBLE 40.0 /* -log of a share that no double sees */

typedef double Real __attribute__((vector_size(8 * LANES)));
typedef int64_t Whole __attribute__((vector_size(8 * LANES)));
typedef uint64_t Bits __attribute__((vector_size(8 * LANES)));
typedef float Single __attribute__((vector_size(4 * LANES)));

/* One question about B chains of L cells and S tags. Tables lie in row-major order; scores and
   gradients are doubles if wide, else floats. crf/kernels/__init__.py packs the same fields. */
typedef struct {
    const void *emissions, *transitions, *start, *end; /* [B, L, S], [S, S], [S], [S] */
    const uint8_t *mask;                               /* [B, L], or NULL: all are tokens */
    const int64_t *tags;                               /* [B, L], or NULL: log Z is asked for */
    const double *weights;                             /* [B], or NULL: all 1 */
    double *values;                                    /* [B] log Z, or -log p(tags) */
    uint8_t *states;                                   /* [B] what is wrong with each chain */
    double *sums; /* [BLOCKS, S + 1, S + 1] scratch; NULL: best paths are asked for */
    void *total;  /* sum of scale * weights * values */
    void *d_emissions, *d_transitions, *d_start, *d_end; /* its gradients, or NULL */
    double *each;    /* [B, S, S] instead of d_transitions: those of each chain */
    int64_t *paths;  /* [B, L] best paths; with tokens without gaps */
    int64_t *tokens; /* [B] how many, or NULL */
    void *scores;    /* [B] scores of the best paths, or NULL */
    int64_t B, L, S, wide;
    double scale;
} Call;

/* ---------------------------------------------------------------- vectors of doubles */

INLINE Real all(double x) { return x - (Real){0}; }
INLINE Real only(Whole which, Real a) { return (Real)((Whole)a & which); }
INLINE Real either(Whole which, Real a, Real b) {
    return (Real)((Whole)only(which, a) | (Whole)only(~which, b));
}
INLINE int any(Whole which) {
    for (int k = 1; k < LANES; k++) which[0] |= which[k];
    return which[0] != 0;
}
INLINE double add_up(Real x) {
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) x[k] += x[k + half];
    return x[0];
}

/* The larger and the smaller of two, lane by lane: so written, compilers find the instruction. */
INLINE Real larger(Real a, Real b) {
    for (int k = 0; k < LANES; k++) b[k] = a[k] > b[k] ? a[k] : b[k];
    return b;
}
INLINE Real smaller(Real a, Real b) {
    for (int k = 0; k < LANES; k++) b[k] = a[k] < b[k] ? a[k] : b[k];
    return b;
}

/* exp(x) for x <= 0; 0 below LOWEST. The series of |r| <= log(2) / 2 ends with r^12 / 12!. */
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
    return only(x >= LOWEST, (Real)((Bits)p + (power << 52)));
}

/* LANES rows of as many numbers: rows become columns, by exchanging blocks of twice the size. */
INLINE void transpose(Real r[LANES]) {
#define LIST(...) __VA_ARGS__
#define EXCHANGE(size, first, second) \
    for (int k = 0; k < LANES; k++) { \
        if (k & size) continue; \
        Real a = r[k], b = r[k + size]; \
        r[k] = MIX(a, b, first), r[k + size] = MIX(a, b, second); \
    }
#if LANES == 8
    EXCHANGE(1, LIST(0, 8, 2, 10, 4, 12, 6, 14), LIST(1, 9, 3, 11, 5, 13, 7, 15))
    EXCHANGE(2, LIST(0, 1, 8, 9, 4, 5, 12, 13), LIST(2, 3, 10, 11, 6, 7, 14, 15))
    EXCHANGE(4, LIST(0, 1, 2, 3, 8, 9, 10, 11), LIST(4, 5, 6, 7, 12, 13, 14, 15))
#elif LANES == 4
    EXCHANGE(1, LIST(0, 4, 2, 6), LIST(1, 5, 3, 7))
    EXCHANGE(2, LIST(0, 1, 4, 5), LIST(2, 3, 6, 7))
#else
    EXCHANGE(1, LIST(0, 2), LIST(1, 3))
#endif
}

/* Number k of a table, LANES numbers from there on, and the same the other way. */
INLINE double one(const void *from, int64_t k, int wide) {
    return wide ? ((const double *)from)[k] : (double)((const float *)from)[k];
}
INLINE Real some(const void *from, int64_t k, int wide) {
    Real x;
    Single y;
    if (wide) return memcpy(&x, (const double *)from + k, sizeof x), x;
    return memcpy(&y, (const float *)from + k, sizeof y), __builtin_convertvector(y, Real);
}
INLINE void put(void *to, int64_t k, double x, int wide) {
    if (wide) ((double *)to)[k] = x;
    else ((float *)to)[k] = (float)x;
}
INLINE void put_some(void *to, int64_t k, Real x, int wide) {
    Single y = __builtin_convertvector(x, Single);
    if (wide) memcpy((double *)to + k, &x, sizeof x);
    else memcpy((float *)to + k, &y, sizeof y);
}

/* ---------------------------------------------------------------- chains in lanes */

/* The shared scores in one table of W = S + 1 rows: row S has start, column S end. */
typedef struct {
    double *scores, *matrix, *turned; /* as given; for sums their exponentials; these transposed */
    double added, lost;               /* what was taken from all; the highest score left out */
    int64_t *order, *lengths;         /* the chains, the longest first; their numbers of tokens */
    int bad;                          /* whether a score is nan or +infinity */
} Tables;

/* LANES chains: lane l has chain rows[l] with lengths[l] tokens, at cells[l * L + k]. */
typedef struct {
    int64_t rows[LANES], most, S, L, W;
    int chains, states; /* how many there are, and what is wrong with any of all so far */
    int32_t *cells;
    Whole lengths, bad, low; /* lanes with nan or +infinity, lanes out of range */
    Real lost;               /* the highest emission left out, less its token's maximum */
    int64_t before[LANES];   /* the tag of the last token; S: none; -1: out of range */
    double gold[LANES];      /* what the scores of the tags fall short of the maxima */
} Group;

INLINE int64_t at(const Group *g, int l, int64_t k) { /* of token k: its place in [B, L] */
    return g->rows[l] * g->L + g->cells[l * g->L + k];
}

/* Copy the shared scores, find their exponentials if sums are asked for, and put the chains in
   order, the longest first. */
INLINE void prepare(const Call *call, Tables *t, const int sums) {
    int64_t B = call->B, L = call->L, S = call->S, W = S + 1, *counts = t->lengths + B;
    int wide = (int)call->wide;
    double top = -INFINITY;
    t->bad = 0, t->lost = -INFINITY;
    for (int64_t i = 0; i < W; i++)
        for (int64_t j = 0; j < W; j++) {
            double x = i < S && j < S ? one(call->transitions, i * S + j, wide)
                       : i < S        ? one(call->end, i, wide)
                       : j < S        ? one(call->start, j, wide) : -INFINITY;
            t->scores[i * W + j] = x, t->bad |= !(x < INFINITY), top = x > top ? x : top;
        }
    t->added = sums && top > -INFINITY ? top : 0.0;
    for (int64_t i = 0; i < W; i++)
        for (int64_t j = 0; j < W; j++) {
            double x = t->scores[i * W + j] - t->added;
            if (sums && x < LOWEST) t->lost = x > t->lost ? x : t->lost, x = -INFINITY;
            t->matrix[i * W + j] = t->turned[j * W + i] = sums ? exp(x) : x;
        }
    memset(counts, 0, (L + 2) * sizeof *counts);
    for (int64_t b = 0; b < B; b++) {
        int64_t m = call->mask ? 0 : L;
        for (int64_t k = 0; call->mask && k < L; k++) m += call->mask[b * L + k] != 0;
        t->lengths[b] = m, counts[L - m + 1]++;
    }
    for (int64_t m = 0; m <= L; m++) counts[m + 1] += counts[m];
    for (int64_t b = 0; b < B; b++) t->order[counts[L - t->lengths[b]]++] = b;
}

/* The chains of one group; lanes without a chain have length 0 and repeat the first one's cells. */
INLINE void gather(const Call *call, const Tables *t, int64_t first, Group *g) {
    g->most = t->lengths[t->order[first]], g->S = call->S, g->L = call->L, g->W = call->S + 1;
    g->chains = call->B - first < LANES ? (int)(call->B - first) : LANES;
    g->bad = g->low = (Whole){0}, g->lost = all(-INFINITY);
    size_t size = (call->wide ? sizeof(double) : sizeof(float)) * g->S;
    for (int l = 0; l < LANES; l++) {
        int there = l < g->chains;
        int64_t row = t->order[there ? first + l : first], m = 0;
        int32_t *cells = g->cells + l * g->L;
        for (int64_t k = 0; k < g->L; k++)
            if (!call->mask || call->mask[row * g->L + k]) cells[m++] = (int32_t)k;
            else if (call->d_emissions)
                memset((char *)call->d_emissions + (row * g->L + k) * size, 0, size);
        memset(cells + m, 0, (g->most > m ? g->most - m : 0) * sizeof *cells);
        g->rows[l] = row, g->lengths[l] = there ? m : 0, g->before[l] = g->S, g->gold[l] = 0.0;
    }
}

/* The emissions of token k of each chain into a column [S], and their maximum. */
INLINE Real emissions_of(const Call *call, Group *g, int64_t k, Real *column) {
    int64_t from[LANES], S = g->S, s = 0;
    int wide = (int)call->wide;
    for (int l = 0; l < LANES; l++) {
        from[l] = at(g, l, k) * S;
        const char *soon = (const char *)call->emissions + ((from[l] + 8 * S) << (wide ? 3 : 2));
        __builtin_prefetch(soon), __builtin_prefetch(soon + 64);
    }
    for (; s + LANES <= S; s += LANES) {
        for (int l = 0; l < LANES; l++) column[s + l] = some(call->emissions, from[l] + s, wide);
        transpose(column + s);
    }
    for (; s < S; s++)
        for (int l = 0; l < LANES; l++) column[s][l] = one(call->emissions, from[l] + s, wide);
    Real top = all(-INFINITY);
    Whole fine = ~(Whole){0};
    for (s = 0; s < S; s++) fine &= column[s] < INFINITY, top = larger(top, column[s]);
    g->bad |= ~fine & (k < g->lengths);
    return either(top > -INFINITY, top, all(0.0));
}

/* Some columns j: the MOST of x(i) + matrix(i, j), the SUM of x(i) matrix(i, j) or, added to y,
   PAIRS: the sum of x_k u_k(j) over tokens k, with x and u [tokens, S]. */
enum { MOST, SUM, PAIRS };
INLINE void columns(const Real *x, const double *matrix, const Real *u, Real *y, int64_t S,
                    int64_t rows, const int n, const int kind) {
    Real found[6];
    for (int j = 0; j < n; j++) found[j] = kind == PAIRS ? y[j] : all(kind ? 0.0 : -INFINITY);
    for (int64_t i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            if (kind == PAIRS) found[j] += x[i * S] * u[i * S + j];
            else if (kind == SUM) found[j] += x[i] * matrix[i * (S + 1) + j];
            else found[j] = larger(x[i] + matrix[i * (S + 1) + j], found[j]);
    for (int j = 0; j < n; j++) y[j] = found[j];
}
INLINE void product(const Real *x, const double *matrix, const Real *u, Real *y, int64_t S,
                    int64_t rows, const int kind) {
    for (int64_t j = 0, n, parts = (S + 5) / 6; parts; parts--, j += n) {
        n = (S - j + parts - 1) / parts; /* as even as can be */
#define COLUMNS(n) case n: columns(x, matrix + j, u + j, y + j, S, rows, n, kind); break;
        switch (n) { COLUMNS(1) COLUMNS(2) COLUMNS(3) COLUMNS(4) COLUMNS(5) COLUMNS(6) }
    }
}

/* ---------------------------------------------------------------- log Z and expected counts */

/* One token's gradients, a column [S] of all lanes, to their rows of d_emissions. */
INLINE void scatter(const Call *call, const Group *g, int64_t k, const Real *column) {
    int64_t S = g->S, s = 0;
    int wide = (int)call->wide;
    for (; s + LANES <= S; s += LANES) {
        Real r[LANES];
        memcpy(r, column + s, sizeof r);
        transpose(r);
        for (int l = 0; l < LANES; l++)
            if (k < g->lengths[l]) put_some(call->d_emissions, at(g, l, k) * S + s, r[l], wide);
    }
    for (int l = 0; l < LANES; l++)
        for (int64_t q = s; q < S && k < g->lengths[l]; q++)
            put(call->d_emissions, at(g, l, k) * S + q, column[q][l], wide);
}

/* Add what the scores of token k's tags lack. */
INLINE void follow(const Call *call, const Tables *t, Group *g, int64_t k, Real top,
                   const Real *column) {
    for (int l = 0; l < g->chains; l++) {
        int64_t from = g->before[l], tag = k < g->lengths[l] ? call->tags[at(g, l, k)] : 0;
        if (k >= g->lengths[l] || from < 0) continue;
        g->before[l] = tag >= 0 && tag < g->S ? tag : -1;
        if (g->before[l] < 0) continue;
        g->gold[l] += (top[l] - column[tag][l]) + (t->added - t->scores[from * g->W + tag]);
        if (k + 1 == g->lengths[l]) g->gold[l] += t->added - t->scores[tag * g->W + g->S];
    }
}

/* Take the tags of token k, which count as often as weights say, from its gradients. */
INLINE void observe(const Call *call, const Tables *t, const Group *g, int64_t k,
                    const double *weights, Real *column, double *sums) {
    int64_t S = g->S, W = g->W;
    for (int l = 0; l < g->chains; l++) {
        if (k >= g->lengths[l] || weights[l] == 0.0) continue;
        int64_t cell = at(g, l, k), tag = call->tags[cell], end = tag * W + S;
        int64_t pair = (k ? call->tags[at(g, l, k - 1)] : S) * W + tag;
        double score = one(call->emissions, cell * S + tag, (int)call->wide);
        if (score > -INFINITY) column[tag][l] -= weights[l];
        if (t->scores[pair] > -INFINITY) sums[pair] -= weights[l];
        if (k + 1 == g->lengths[l] && t->scores[end] > -INFINITY) sums[end] -= weights[l];
    }
}

/* What the group's chains are worth, and their gradients: those of shared scores go to sums. */
INLINE void sums_of(const Call *call, const Tables *t, Group *g, Real *work, double *sums) {
    int64_t S = g->S, W = g->W, K = g->most;
    const double *start = t->matrix + S * W, *end = t->turned + S * W;
    Real *a = work, *u = a + K * S, *beta = u + K * S, *column = beta + S, *scales = column + S + 8;
    Real *counts = scales + K + 1;
    Real logs = {0}, scaled = all(1.0), final = {0}, none = {0};
    Whole powers = {0};

    for (int64_t k = 0; k < K; k++) { /* forward */
        Whole inside = k < g->lengths, last = k + 1 == g->lengths;
        Real top = emissions_of(call, g, k, column), scale = none, *now = a + k * S;
        if (k) product(now - S, t->matrix, now, now, S, S, SUM);
        if (call->tags) follow(call, t, g, k, top, column);
        Real least = all(1.0), lowest = none;
        for (int64_t s = 0; s < S; s++) {
            Real x = column[s] - top, e = only(inside, exponential(x));
            lowest = smaller(x, lowest);
            u[k * S + s] = e;
            Real value = k ? now[s] * e : start[s] * e;
            now[s] = value;
            scale += value;
            least = smaller(value, least);
        }
        int out = any((lowest < LOWEST) | (least < SMALLEST * scale));
        for (int64_t s = 0; s < S && out; s++) { /* what is left out, and who has too small a sum */
            Real x = column[s] - top;
            g->lost = either(inside & (x < LOWEST), larger(x, g->lost), g->lost);
            g->low |= inside & (now[s] < SMALLEST * scale) & (now[s] > 0.0);
        }
        Real inverse = either(scale > 1e-300, 1.0 / scale, none);
        for (int64_t s = 0; s < S; s++) now[s] *= inverse;
        scales[k] = inverse;
        scaled *= either(inside, scale, all(1.0));
        powers += (((Whole)scaled >> 52) & 2047) - 1023;
        scaled = (Real)(((Whole)scaled & 0xfffffffffffff) | (Whole)all(1.0));
        logs += only(inside, top);
        for (int64_t s = 0; s < S && any(last); s++) final += only(last, now[s] * end[s]);
    }

    double weights[LANES] = {0};
    Real factor = none; /* what a chain counts for, over its final sum; nan if it is bad */
    for (int l = 0; l < g->chains; l++) {
        int64_t row = g->rows[l], m = g->lengths[l];
        double weight = (call->weights ? call->weights[row] : 1.0) * call->scale;
        double lost = g->lost[l] > t->lost ? g->lost[l] : t->lost;
        double value = log(final[l]) + log(scaled[l]) + powers[l] * 0.69314718055994530942;
        int state = g->before[l] < 0 ? BAD_TAG : 0;
        if (t->bad || g->bad[l]) state |= BAD_SCORE;
        if (g->low[l] || (lost > -INFINITY && !(value >= lost + m * log((double)S) + NEGLIGIBLE)))
            state |= OUT_OF_RANGE;
        if (!state && !(final[l] > 0.0)) state = NO_PATH;
        value += call->tags ? g->gold[l] : logs[l] + t->added * (m + 1);
        if (!m) state = 0, value = 0.0;
        if (state == NO_PATH) value = call->tags ? INFINITY : -INFINITY;
        if (state & (BAD_SCORE | BAD_TAG)) value = NAN;
        if (call->tags && value < 0.0) value = 0.0;
        if (value == INFINITY) state |= NO_PATH;
        call->values[row] = value, call->states[row] = (uint8_t)state, g->states |= state;
        if (weight == 0.0 || !m) continue;
        if (!state) weights[l] = weight, factor[l] = weight / final[l];
        if (value != value) factor[l] = NAN;
    }
    if (!call->d_start) return;

    Whole counted = (factor != 0.0) & (factor == factor); /* others get 0, or nan */
    memset(beta, 0, S * sizeof *beta);
    memset(counts, 0, S * S * sizeof *counts);
    for (int64_t k = K - 1; k >= 0; k--) { /* backward */
        Whole last = k + 1 == g->lengths;
        Real *now = a + k * S, *next = u + k * S;
        int ends = any(last);
        for (int64_t s = 0; s < S; s++) {
            if (ends) beta[s] = either(last, factor * end[s], beta[s]);
            column[s] = either(counted, now[s] * beta[s], factor);
            if (ends) sums[s * W + S] += add_up(only(last, column[s]));
            if (!k) sums[S * W + s] += add_up(column[s]);
            next[s] = next[s] * beta[s] * scales[k];
        }
        if (call->tags) observe(call, t, g, k, weights, column, sums);
        scatter(call, g, k, column);
        if (!k) break;
        int64_t ready = (K - k) % CHUNK;
        for (int64_t i = 0; i < S && (!ready || k == 1); i++)
            product(now - S + i, t->matrix, next, counts + i * S, S, ready ? ready : CHUNK, PAIRS);
        product(next, t->turned, next, beta, S, S, SUM);
        for (int64_t s = 0; s < S; s++) beta[s] = only(now[s - S] != 0.0, beta[s]);
    }
    for (int64_t k = 0; k < S * S; k++) {
        int64_t pair = k / S * W + k % S;
        Real x = either(counted, counts[k] * t->matrix[pair], factor);
        if (!call->each) sums[pair] += add_up(x);
        for (int l = 0; l < g->chains && call->each; l++) call->each[g->rows[l] * S * S + k] = x[l];
    }
}

/* ---------------------------------------------------------------- best paths */

/* d_t(j) = e_t(j) + m_t(j), m_t(j) = max_i d_(t-1)(i) + T(i, j). No argmax is kept: on the way back
   it is the lowest i that gives m_t of the tag chosen after it. */
INLINE void paths_of(const Call *call, const Tables *t, Group *g, Real *work) {
    int64_t S = g->S, L = g->L, W = g->W, K = g->most;
    const double *start = t->matrix + S * W, *end = t->turned + S * W;
    Real *d = work, *m = d + K * S, *column = m + K * S;
    Real final = either(g->lengths > 0, all(-INFINITY), all(0.0));
    Whole tag = {0};
    for (int64_t k = 0; k < K; k++) {
        emissions_of(call, g, k, column);
        if (k) product(d + (k - 1) * S, t->matrix, d, m + k * S, S, S, MOST);
        for (int64_t s = 0; s < S; s++)
            d[k * S + s] = (k ? m[k * S + s] : all(start[s])) + column[s];
        for (int64_t s = 0; s < S && any(k + 1 == g->lengths); s++) {
            Real score = d[k * S + s] + end[s];
            Whole better = (k + 1 == g->lengths) & (score > final);
            final = either(better, score, final), tag = (better & s) | (~better & tag);
        }
    }
    for (int l = 0; l < g->chains; l++) {
        int64_t row = g->rows[l];
        int wrong = g->lengths[l] && (t->bad || g->bad[l]), found = !wrong && final[l] > -INFINITY;
        if (call->scores) put(call->scores, row, wrong ? NAN : final[l], (int)call->wide);
        g->states |= wrong ? BAD_SCORE : found ? 0 : NO_PATH;
        if (!found) g->lengths[l] = 0;
        if (call->tokens) call->tokens[row] = g->lengths[l];
        for (int64_t k = 0; k < L && !call->tokens; k++) call->paths[row * L + k] = -1;
    }
    for (int64_t k = K - 1; k >= 0; k--) {
        Whole inside = k < g->lengths, next = tag;
        Real best = {0}, arriving = {0};
        for (int l = 0; l < LANES; l++) {
            int64_t row = g->rows[l] * L;
            if (k) best[l] = m[k * S + tag[l]][l];
            if (inside[l]) call->paths[row + (call->tokens ? k : g->cells[l * L + k])] = tag[l];
        }
        for (int64_t i = S - 1; i >= 0 && k; i--) {
            for (int l = 0; l < LANES; l++) arriving[l] = t->turned[tag[l] * W + i];
            Whole attains = d[(k - 1) * S + i] + arriving == best;
            next = (attains & i) | (~attains & next);
        }
        tag = (inside & next) | (~inside & tag);
    }
}

/* ---------------------------------------------------------------- calls */

INLINE int64_t blocks_of(const Call *call) {
    return call->B < BLOCKS * LANES ? (call->B + LANES - 1) / LANES : BLOCKS;
}

/* Memory that calls leave to the next one: fresh pages cost more than what is computed in them. */
static size_t *left[BLOCKS];

/* Answer for the blocks that no other thread takes; what is wrong with any of their chains. */
INLINE int answer(const Call *call, int64_t thread, int64_t *taken, const int sums) {
    int64_t B = call->B, L = call->L, S = call->S, n = (S + 1) * (S + 1), block, alone = 0;
    size_t words = 2 * L * S + 3 * S + 16 + (sums ? L + 1 + S * S : 0);
    size_t bytes = words * sizeof(Real) + (3 * n + 2 * B + L + 2) * 8 + LANES * L * 4;
    size_t *memory = __atomic_exchange_n(&left[thread], NULL, __ATOMIC_ACQ_REL);
    if (!memory || *memory < bytes) {
        free(memory), memory = malloc(bytes + 128);
        if (!memory) return FAILED;
        *memory = bytes;
    }
    Real *work = (Real *)(((uintptr_t)memory + 127) & ~(uintptr_t)63);
    Tables t = {.scores = (double *)(work + words)};
    t.matrix = t.scores + n, t.turned = t.matrix + n;
    t.order = (int64_t *)(t.turned + n), t.lengths = t.order + B;
    Group g = {.cells = (int32_t *)(t.lengths + B + L + 2)};
    prepare(call, &t, sums);
    if (!taken) taken = &alone;
    while ((block = __atomic_fetch_add(taken, 1, __ATOMIC_RELAXED)) < blocks_of(call)) {
        double *own = call->sums + block * n;
        if (sums && call->d_start) memset(own, 0, n * sizeof *own);
        for (int64_t first = block * LANES; first < B; first += BLOCKS * LANES) {
            gather(call, &t, first, &g);
            if (sums) sums_of(call, &t, &g, work, own);
            else paths_of(call, &t, &g, work);
        }
    }
    if (*memory <= MOST_LEFT) memory = __atomic_exchange_n(&left[thread], memory, __ATOMIC_ACQ_REL);
    free(memory);
    return g.states;
}

/* Add up what all threads have found. */
void crf_finish(const Call *call) {
    int64_t S = call->S, W = S + 1;
    int wide = (int)call->wide;
    double total = 0.0;
    for (int64_t b = 0; b < call->B && call->total; b++) {
        double weight = call->weights ? call->weights[b] : 1.0;
        if (weight != 0.0) total += weight * call->values[b];
    }
    if (call->total) put(call->total, 0, total * call->scale, wide);
    for (int64_t i = 0; i < W && call->d_start; i++)
        for (int64_t j = 0; j < W; j++) {
            double sum = 0.0;
            for (int64_t block = 0; block < blocks_of(call); block++)
                sum += call->sums[(block * W + i) * W + j];
            if (i == S && j < S) put(call->d_start, j, sum, wide);
            else if (j == S && i < S) put(call->d_end, i, sum, wide);
            else if (i < S && call->d_transitions) put(call->d_transitions, i * S + j, sum, wide);
        }
}

/* Answer as one of several threads: one more call, to crf_finish, is due when all have come back.
   `taken` is the number of blocks that they have taken, 0 at first; NULL: there is one thread. */
int crf_answer(const Call *call, int64_t thread, int64_t *taken) {
    int states = call->sums ? answer(call, thread, taken, 1) : answer(call, thread, taken, 0);
    if (!taken && !(states & FAILED)) crf_finish(call);
    return states;
}

/* Whether no score, those of masked cells included, is nan or +infinity. */
int crf_look(const Call *call) {
    int64_t S = call->S, sizes[4] = {call->B * call->L * S, S * S, S, S};
    const void *tables[4] = {call->emissions, call->transitions, call->start, call->end};
    int wide = (int)call->wide, bad = 0;
    for (int x = 0; x < 4; x++)
        for (int64_t k = 0; k < sizes[x]; k++) bad |= !(one(tables[x], k, wide) < INFINITY);
    return !bad;
}

/* Bytes of a call: a library of another version has another number, or none. */
int crf_call_size(void) { return (int)sizeof(Call); }
